"""One run from its beginning to its end: what it is built from, its order of ending, and its status."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import time
from datetime import timedelta

import pytest

import squall
from squall import LimitReached, UsageError
from squall.clock import START, real
from squall.runs.current import _entered, current
from squall.runs.environment import Environment
from squall.trace import Trace
from squall.trace.verify import verify_lines


def sell(kind, **more):
    return {"target": "till.sell", "kind": kind, **more}


NEVER = sell("http_500", nth=5)


def ended(run):
    return [json.loads(line) for line in run.trace.lines][-1]


def test_the_face_has_it_under_a_verb(till):
    assert squall.world is Environment
    with squall.world(till) as run:
        assert run.tools.sell(9.5)["amount"] == 9.5
        assert run.world.sales.count() == 2
        assert run.trace.count("sell") == 1
        assert run.clock.now() == START


def test_a_world_injects_nothing_unless_its_faults_are_asked_for(till):
    with Environment(till) as run:
        run.tools.sell(1)
    with Environment(till, faults=till) as run:
        assert run.interposer.call("sell", {"amount": 1}).status == 503
    assert run.result
    assert run.result.drawn
    assert run.result.fired == 1


@pytest.mark.parametrize("form", ["path", "text", "list", "mapping", "toml", "none"])
def test_faults_may_be_a_file_or_data(till, tmp_path, form):
    rule = {"target": "till.sell", "kind": "http_418", "nth": 1}
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"faults: [{json.dumps(rule)}]", encoding="utf-8")
    toml = tmp_path / "plan.toml"
    toml.write_text('[[faults]]\ntarget = "till.sell"\nkind = "http_418"\nnth = 1\n', encoding="utf-8")
    faults = {
        "path": plan,
        "text": str(plan),
        "toml": toml,
        "list": [rule],
        "mapping": {"till.sell": [{"kind": "http_418", "nth": 1}]},
        "none": None,
    }[form]
    with Environment(till, faults=faults) as run:
        assert run.interposer.call("sell", {"amount": 1}).status == (None if form == "none" else 418)


def test_a_plan_file_that_changed_is_read_again(till, tmp_path):
    plan = tmp_path / "plan.yaml"
    for status in (500, 503):
        plan.write_text(f"faults: [{{ target: till.sell, kind: http_{status}, nth: 1 }}]\n", encoding="utf-8")
        with Environment(till, faults=plan) as run:
            assert run.interposer.call("sell", {"amount": 1}).status == status
        plan.unlink()


def test_the_seed_is_the_worlds_own_unless_given(till):
    assert Environment(till).seed == 7
    assert Environment(till, seed=3).seed == 3
    assert Environment().seed == 0
    assert Environment(till, seed=3).world.seed == 3


def test_world_clock_and_trace_belong_to_one_run(till):
    with Environment(till, run_index=4, name="a test") as run:
        assert run.world.clock is run.clock
        run.clock.advance(timedelta(hours=2))
        assert run.tools.sell(1, at="2025-06-01T00:00:00Z")
        assert run.world.ledger[0].t == 7200
    with Environment(till) as other:
        assert other.world.sales.count() == 1
        assert other.clock.elapsed() == 0
    start = json.loads(run.trace.lines[0])
    assert (start["run"], start["run_index"], start["seed"], start["world"]) == ("a test#4", 4, 7, "till")
    assert start["world_digest"] == run.world.digest


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"clock": "wal"}, "the clock is 'wal'; did you mean 'wall'?"),
        ({"limits": {"second": 5}}, "unknown limit 'second'; did you mean 'seconds'?"),
        ({"limits": {"seconds": "soon"}}, "the limit 'seconds': 'soon' is no length of time"),
        ({"limits": {"seconds": 0}}, "the limit 'seconds' is 0"),
        ({"limits": {"seconds": -1}}, "below zero"),
        ({"limits": {"calls": 0}}, "the limit 'calls' is 0"),
        ({"limits": {"calls": 2.5}}, "the limit 'calls' is 2.5"),
        ({"limits": {"calls": True}}, "the limit 'calls' is True"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"run_index": "a"}, "run_index is 'a'"),
        ({"run_index": -1}, "run_index is -1"),
        ({"run_index": True}, "run_index is True"),
        ({"faults": 5}, "faults must be a path, a mapping or a list, not 5"),
        ({"faults": "nowhere.yaml"}, "nowhere.yaml"),
        ({"faults": [{"target": "till.sel", "kind": "timeout", "nth": 1}]}, "did you mean 'till.sell'?"),
    ],
)
def test_wrong_input_is_a_usage_error_before_anything_runs(till, options, text):
    with pytest.raises(UsageError) as wrong:
        Environment(till, **options)
    assert text in str(wrong.value)


def test_a_world_that_is_not_there_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        Environment(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("faults", [[sell("timeout", nth=1)], {"default": {"errors": {"timeout": 0.1}}}])
def test_faults_need_a_world(faults):
    with pytest.raises(UsageError, match="faults: these faults need a world to happen in"):
        Environment(faults=faults)


def test_the_limits_of_a_plan_need_no_world(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text("faults: []\nlimits: { seconds: 60 }\n", encoding="utf-8")
    assert Environment(faults=plan).limits.seconds == 60
    assert Environment(faults=[]).limits.seconds == 3600


def test_limits_take_lengths_of_time(begin):
    run = begin(limits={"seconds": "10m", "calls": 5})
    assert (run.limits.seconds, run.limits.calls, run.clock.limit) == (600, 5, 600)


def test_given_limits_go_before_the_plans(till, tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text("faults: []\nlimits: { seconds: 60, calls: 7 }\nwall_cap: 3\n", encoding="utf-8")
    assert Environment(till, faults=plan).limits == Environment(till, limits={"seconds": 60, "calls": 7}).limits
    run = Environment(till, faults=plan, limits={"calls": 2})
    assert (run.limits.seconds, run.limits.calls, run.clock.wall_cap) == (60, 2, 3)
    assert Environment(till, faults=plan, wall_cap=1).clock.wall_cap == 1


def test_a_run_without_a_world_has_time_and_a_trace_only():
    with Environment() as run:
        time.sleep(50)
        assert run.clock.elapsed() == 50
        for name in ("world", "tools", "mcp_server"):
            with pytest.raises(UsageError, match="this run has no world"):
                getattr(run, name)
        assert run.interposer.call("anything").form == "unknown_tool"
    assert run.result
    assert run.result.status == "passed"


# the end


def test_the_end_comes_in_order_late_effects_first(begin):
    order: list[object] = []
    with begin(sell("http_500", nth=1, phase="late")) as run:
        run.finally_(lambda: order.append(("sales", run.world.sales.count())))
        run.finally_(lambda: order.append("second"))
        squall.finally_(lambda: order.append("third"))
        run.interposer.call("sell", {"amount": 1})
        assert run.world.sales.count() == 1
    assert order == [("sales", 2), "second", "third"]
    assert ended(run)["kind"] == "run_end"


@pytest.mark.parametrize("inside", [False, True])
def test_an_async_function_given_to_finally_is_run_to_its_end(begin, inside):
    seen = []

    async def later():
        await asyncio.sleep(60)
        seen.append("ended")
        raise AssertionError("two refunds")

    async def agent(run):
        run.finally_(later)
        return run.finish() if inside else None

    with pytest.raises(AssertionError, match="two refunds"), begin() as run:
        asyncio.run(agent(run))
    assert seen == ["ended"]
    assert run.result.status == "failed"


def test_finally_is_a_decorator_too(begin):
    with begin() as run:

        @squall.finally_
        def check():
            assert run.world.sales.count() == 99

        with pytest.raises(AssertionError, match="99"):
            check()
        run.finally_(run.world.sales.count)
        run._finally.clear()
    assert run.result.status == "passed"


def failing(error):
    def check():
        raise error

    return check


def test_each_function_runs_and_all_that_fail_are_shown(begin):
    seen = []
    with pytest.raises(AssertionError, match="two refunds") as raised, begin() as run:
        run.finally_(failing(AssertionError("two refunds")))
        run.finally_(lambda: seen.append(1))
        run.finally_(failing(KeyError("lost")))
        run.finally_(lambda: seen.append(2))
    assert seen == [1, 2]
    assert [type(error) for error in run.result.errors] == [AssertionError, KeyError]
    assert raised.value.__notes__ == ["This run also ended with KeyError: 'lost'"]
    assert run.result.status == "failed"


@pytest.mark.parametrize("error", [pytest.fail.Exception("no"), LimitReached("no"), asyncio.CancelledError()])
def test_no_error_of_a_function_keeps_the_later_ones_from_running(begin, error):
    seen = []
    with pytest.raises(type(error)), begin() as run:
        run.finally_(failing(error))
        run.finally_(lambda: seen.append(1))
    assert seen == [1]
    assert ended(run)["status"] == run.result.status


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_who_stops_everything_is_obeyed(begin, stop):
    with pytest.raises(stop), begin() as run:
        run.finally_(failing(stop()))
    with begin():
        pass  # the clock was given back


def test_functions_may_register_functions(begin):
    seen = []
    with begin() as run:
        run.finally_(lambda: run.finally_(lambda: seen.append("inner")))
    assert seen == ["inner"]


def test_an_agents_error_goes_on_and_the_properties_are_judged(begin):
    with pytest.raises(ZeroDivisionError) as raised, begin() as run:
        run.finally_(failing(AssertionError("two refunds")))
        1 / 0
    assert run.result.status == "crashed"
    assert [str(error) for error in run.result.errors] == ["two refunds"]
    assert raised.value.__notes__ == ["This run also ended with AssertionError: two refunds"]
    final = next(json.loads(line) for line in run.trace.lines if b"agent_final" in line)
    assert final["error"] == "ZeroDivisionError: division by zero"


def test_a_second_finish_gives_the_first_ones_result(begin):
    seen = []
    run = begin()
    with run:
        run.finally_(lambda: seen.append(1))
        first = run.finish()
        assert run.finish(ValueError("later")) is first
    assert seen == [1]
    assert run.result is first
    assert sum(b"run_end" in line for line in run.trace.lines) == 1


def test_the_trace_of_an_ended_run_holds(begin, tmp_path):
    with begin(sell("timeout", probability=0.5)) as run:
        for amount in range(10):
            run.interposer.call("sell", {"amount": float(amount)})
    found = verify_lines(run.trace.lines)
    assert (found.run, found.status, found.events) == ("till#0", "passed", len(run.trace.lines))
    run.trace.write(tmp_path / "run.jsonl")
    assert Trace.load(tmp_path / "run.jsonl").line() == run.trace.line() == run.result.line


# the status


def status_of(run, error=None):
    run.__enter__()
    try:
        return run.finish(error).status
    finally:
        run.close()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, "passed"),
        (AssertionError("no"), "failed"),
        (pytest.fail.Exception("no"), "failed"),
        (ValueError("no"), "crashed"),
        (KeyboardInterrupt(), "crashed"),
        (LimitReached("no"), "hung"),
        (BaseExceptionGroup("all", [ValueError("a"), LimitReached("no")]), "hung"),
        (ExceptionGroup("all", [ValueError("a"), AssertionError("b")]), "failed"),
        (ExceptionGroup("all", [ValueError("a")]), "crashed"),
    ],
)
def test_how_the_agent_ended_is_the_status(begin, error, status):
    run = begin()
    assert status_of(run, error) == status
    assert ended(run)["status"] == status
    assert run.result.error is error


def test_an_error_raised_from_the_limit_is_a_hang(begin):
    error = RuntimeError("wrapped")
    error.__cause__ = LimitReached("no")
    assert status_of(begin(), error) == "hung"


@pytest.mark.parametrize(
    ("error", "status"), [(AssertionError("no"), "failed"), (ValueError("no"), "crashed"), (LimitReached("no"), "hung")]
)
def test_how_a_property_ended_is_the_status_where_the_agent_said_nothing(begin, error, status):
    run = begin()
    run.finally_(failing(error))
    assert status_of(run) == status


def test_a_skip_hides_no_violation_outside_pytests_fixtures_either(begin):
    run = begin()
    run.finally_(lambda: pytest.skip("no key"))
    run.finally_(failing(AssertionError("paid twice")))
    with pytest.raises(AssertionError, match="paid twice"), run:
        pass
    run = begin()
    run.finally_(failing(AssertionError("paid twice")))
    with pytest.raises(AssertionError, match="paid twice"), run:
        pytest.skip("no key")


def test_a_limit_that_the_agent_swallowed_is_still_a_hang(begin):
    run = begin(sell("hang", nth=1))
    with pytest.raises(LimitReached), run, contextlib.suppress(BaseException):
        run.tools.sell(1)
    assert run.result.status == "hung"


def test_who_ends_a_run_by_hand_has_seen_how_it_ended(begin):
    with begin(sell("hang", nth=1)) as run:
        with contextlib.suppress(BaseException):
            run.tools.sell(1)
        assert run.finish().status == "hung"


@pytest.mark.parametrize("rule", [NEVER, sell("http_500", every=3), sell("http_500", first=2, when={"amount": 9})])
def test_a_counting_rule_that_never_fired_is_not_passed(begin, rule):
    with begin(rule) as run:
        run.tools.sell(1)
    assert run.result.status == "not_fired"
    assert ended(run)["not_fired"] == [0]
    (sentence,) = run.result.not_fired
    assert sentence.startswith("http_500 at till.sell (")


def test_a_rule_that_may_stay_away_does_not_count(begin):
    always = sell("http_500", when={"amount": 9})
    limiter = {"target": "till.sell", "kind": "rate_limit", "calls": 5, "per_seconds": 60}
    with begin(sell("http_500", probability=0.0001), always, limiter) as run:
        run.tools.sell(1)
    assert run.result.status == "passed"
    assert run.result.drawn
    assert run.result.fired == 0


def test_worse_goes_before_not_fired(begin):
    assert status_of(begin(NEVER), AssertionError("no")) == "failed"
    assert status_of(begin(NEVER), ValueError("no")) == "crashed"
    assert status_of(begin(NEVER)) == "not_fired"


def test_a_skipped_run_says_so(begin):
    run = begin(NEVER)
    with run:
        assert run.finish(pytest.skip.Exception("no key")).status == "skipped"
    assert ended(run)["status"] == "skipped"
    assert not any(b"agent_final" in line for line in run.trace.lines)


# without a recorder, in a loop, in another run


def test_without_a_trace_all_else_is_the_same(begin):
    with begin(sell("http_500", nth=2), record=False) as run:
        forms = [run.interposer.call("sell", {"amount": 1.0}).form for _ in range(3)]
    assert forms == ["value", "refused", "value"]
    assert run.trace.lines == []
    assert run.result == run.result._replace(status="passed", fired=1)
    assert run.result.line == "(not recorded)"
    assert len(run.world.ledger) == 2


def test_a_run_may_live_inside_a_coroutine(begin):
    async def agent():
        with begin(sell("timeout", nth=1)) as run:
            began = asyncio.get_running_loop().time()
            with pytest.raises(TimeoutError):
                await run.tools.aio.sell(1)
            assert asyncio.get_running_loop().time() - began == pytest.approx(60)
        return run

    run = asyncio.run(agent())
    assert run.result.status == "passed"
    assert run.clock.elapsed() == 60


def test_runs_nest_and_the_inner_one_is_current(begin):
    with begin(name="outer") as outer:
        time.sleep(1)
        with begin(name="inner") as inner:
            squall.finally_(lambda: inner.tools.sell(1))
            time.sleep(10)
            assert inner.clock.elapsed() == 10
        assert outer.clock.elapsed() == 1
        time.sleep(1)
        assert outer.clock.elapsed() == 2
    assert (outer.trace.line(), inner.trace.line()) == ("(no tool call)", "sell")


def test_the_clock_is_given_back(begin, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(real, "sleep", waits.append)
    sleep = time.sleep
    with pytest.raises(ZeroDivisionError), begin():
        assert time.sleep is not sleep
        1 / 0
    assert time.sleep is sleep


def test_a_scope_is_at_hand(begin):
    with begin(sell("http_500", nth=1, scope="a")) as run:
        assert run.interposer.call("sell", {"amount": 1.0}).form == "value"
        with squall.scope("a"):
            assert run.interposer.call("sell", {"amount": 1.0}).form == "refused"


# wall time


@pytest.fixture
def waits(monkeypatch):
    """Real waits that only count."""
    found = []
    now = [0.0]

    def sleep(seconds):
        found.append(seconds)
        now[0] += seconds

    async def asleep(seconds):
        sleep(seconds)

    monkeypatch.setattr(real, "sleep", sleep)
    monkeypatch.setattr(real, "asleep", asleep)
    monkeypatch.setattr(real, "monotonic", lambda: now[0])
    return found


@pytest.mark.parametrize(
    ("rule", "options", "waited"),
    [
        (sell("timeout", nth=1), {}, [2.0]),
        (sell("timeout", nth=1), {"wall_cap": 0.5}, [0.5]),
        (sell("timeout", nth=1, answer_after=7), {}, [7.0]),
        (sell("hang", nth=1), {}, [2.0]),
        (sell("latency", nth=1), {}, [2.0]),
        (sell("latency", nth=1, seconds=9), {}, [9.0]),
        ({"target": "till.sell", "kind": "latency_ms", "ms": 5000}, {}, [5.0]),
    ],
)
@pytest.mark.parametrize("aio", [False, True])
def test_on_wall_time_only_a_wait_that_somebody_stated_is_long(begin, waits, rule, options, waited, aio):
    with begin(rule, clock="wall", **options) as run:
        if aio:
            asyncio.run(run.interposer.acall("sell", {"amount": 1.0}))
        else:
            run.interposer.call("sell", {"amount": 1.0})
    assert waits == waited
    assert run.result.status == "passed"
    assert json.loads(run.trace.lines[0])["clock"] == "wall"


def test_on_wall_time_a_stated_wait_ends_at_the_limit(begin, waits):
    rule = sell("timeout", nth=1, answer_after=90)
    with pytest.raises(LimitReached), begin(rule, clock="wall", limits={"seconds": 20}) as run:
        run.tools.sell(1)
    assert waits == [20]
    assert run.result.status == "hung"


def test_on_wall_time_a_late_effect_lands_at_the_end(begin, waits):
    with begin(sell("http_500", nth=1, phase="late"), clock="wall") as run:
        run.interposer.call("sell", {"amount": 1.0})
        assert run.world.sales.count() == 1
    assert run.world.sales.count() == 2


def test_a_run_leaves_nothing_behind(begin):
    with begin() as run:
        asyncio.run(run.tools.aio.sell(1))
    del run
    gc.collect()
    assert current() is None
    assert _entered == []


def test_a_limit_that_the_agent_swallowed_around_its_own_loop_still_hangs_the_run(begin):
    async def hopeful(run):
        await run.tools.aio.sell(amount=1)

    # the suppressing is what an agent must not do, and some do
    run = begin({"target": "till.sell", "kind": "hang", "nth": 1})
    with pytest.raises(LimitReached), run, contextlib.suppress(BaseException):
        asyncio.run(hopeful(run))
    assert run.result.status == "hung"
