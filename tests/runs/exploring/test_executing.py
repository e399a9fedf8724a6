"""One run under a schedule, `runs/exploring/executing.py`, and what is observed of it, `observing.py`."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

import squall
from squall.runs.current import current
from squall.runs.environment import Environment
from squall.runs.exploring.details import Details
from squall.runs.exploring.executing import Runner


@pytest.fixture
def runner(till):
    """Executes schedules with an agent, over a till."""

    def make(agent, kinds=(), **options):
        return Runner(lambda: Environment(till, **options), agent, kinds)

    return make


def sells(run):
    run.tools.sell(amount=2.0)
    run.tools.list_sales()


def sells_again(run):
    try:
        run.tools.sell(amount=2.0)
    except TimeoutError:
        run.tools.sell(amount=2.0)


def choice(observed, kind, phase, place=0):
    return next(each for each in observed.seen[place].choices if (each.kind, each.phase) == (kind, phase))


def test_a_calm_run_shows_its_places_in_order_with_what_can_be_tried_there(runner):
    calm = runner(sells)(())
    assert (calm.status, calm.failure, calm.fired, calm.effects) == ("passed", "", (), 1)
    assert [(seen.point.target, seen.access, seen.place) for seen in calm.seen] == [
        ("till.sell", "write", 0),
        ("till.list_sales", "read", 1),
    ]
    assert all(seen.choices and seen.state for seen in calm.seen)
    assert calm.trace_digest


def test_the_same_schedule_makes_the_same_observation(runner):
    once = runner(sells)
    assert once(()) == once(())


def test_a_fault_of_the_schedule_fires_at_its_point_alone(runner):
    once = runner(sells_again)
    fault = choice(once(()), "timeout", "after")
    struck = once((fault,))
    assert (struck.status, struck.fired, struck.effects) == ("passed", (fault,), 2)
    assert [seen.point.nth for seen in struck.seen] == [1, 2]
    assert dict(once.details.arrivals) == {fault.point: 1}


def test_a_fault_whose_point_never_comes_is_not_fired(runner):
    fault = choice(runner(sells)(()), "timeout", "after", place=1)
    assert runner(sells_again)((fault,)).status == "not_fired"


def test_a_crash_a_failure_and_a_hang_are_told_apart(runner):
    def crashes(run):
        raise KeyError("x")

    def fails(run):
        squall.finally_(lambda: squall.at_most_once(run.world.sales, by="amount"))
        run.tools.sell(amount=5.0)

    def hangs(run):
        while True:
            with contextlib.suppress(Exception):
                run.tools.list_sales()

    found = [runner(agent, limits={"calls": 20})(()) for agent in (crashes, fails, hangs)]
    assert [each.status for each in found] == ["crashed", "failed", "hung"]
    assert [each.what.partition(" at ")[0] for each in found] == ["KeyError", "at_most_once", "hung"]
    assert all(each.bad for each in found)


def test_what_the_world_looks_like_goes_before_a_crash(runner):
    def both(run):
        squall.finally_(lambda: squall.at_most_once(run.world.sales, by="amount"))
        run.tools.sell(amount=5.0)
        raise KeyError("x")

    assert runner(both)(()).what.startswith("at_most_once at ")


def test_an_agent_may_be_async(runner):
    async def agent(run):
        await asyncio.sleep(60)
        await run.tools.aio.sell(amount=1.0)

    observed = runner(agent)(())
    assert (observed.status, len(observed.seen)) == ("passed", 1)


def test_an_interrupt_is_nobodys_failure(runner):
    def interrupted(run):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner(interrupted)(())
    assert current() is None


def test_marks_of_sometimes_are_noted_true_or_not(runner):
    def marks(run):
        squall.sometimes("even", True)
        squall.sometimes("odd", False)

    observed = runner(marks)(())
    assert (observed.asked, observed.marks) == ({"even", "odd"}, {"even"})


def test_what_was_seen_before_a_point_tells_runs_apart(runner):
    once = runner(sells, kinds=("empty_result", "duplicate_delivery"))
    calm = once(())
    refused, lost = choice(calm, "empty_result", "before"), choice(calm, "duplicate_delivery", "after")
    states = [each.seen[1].state for each in (calm, once((refused,)), once((lost,)), once(()))]
    assert len(set(states)) == 3
    assert states[0] == states[3]


def test_only_the_kinds_that_are_asked_for_are_offered(runner):
    calm = runner(sells, kinds=("http_503",))(())
    assert {each.kind for seen in calm.seen for each in seen.choices} == {"http_503"}


def test_details_are_those_of_the_last_run(runner):
    once = runner(sells)
    assert once.details == Details()
    once(())
    assert once.details.line == "sell → list_sales"
    assert once.details.lines
    assert set(once.details.digests) == {"agent", "world", "tools"}
    assert once.details.events[1].startswith("tool_call till.sell sell ")


def test_details_know_a_script_by_its_text(runner, tmp_path):
    def digests_with(words):
        (tmp_path / "script.toml").write_text(f'[[turn]]\nsay = "{words}"\n', encoding="utf-8")
        once = runner(lambda run: run.model.load(tmp_path / "script.toml"))
        once(())
        return once.details.digests

    first, other = digests_with("Paid."), digests_with("Not paid.")
    assert set(first) == {"agent", "world", "tools", "script"}
    assert {name for name in first if first[name] != other[name]} == {"script"}


def test_a_run_that_has_not_ended_shows_nothing(till):
    from squall.runs.exploring.catalog import Catalog
    from squall.runs.exploring.observing import observed
    from squall.runs.exploring.weather import Weather

    with Environment(till) as run, pytest.raises(LookupError, match="has not ended"):
        observed(run, Weather(), Catalog())
