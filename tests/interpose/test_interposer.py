"""Where calls meet decisions: counting, points, conditions, limiters, scopes, threads, and what repeats."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import mcp
import pytest

from squall import LimitReached, ToolError, UsageError, finally_
from squall.call import Target
from squall.decide import Calm
from squall.interpose import scope
from tests.conformance.fault_over_wire import PAID, WIRES
from tests.interpose import traced_agent

ORDER = {"order_id": "1"}
HALF = {"target": "default", "kind": "http_500", "probability": 0.5}


def paying(run, amounts):
    """What came of a payment of each amount: True where it was refused."""
    found = {}
    for amount in amounts:
        found[amount] = run.interposer.call("pay", {**ORDER, "amount": amount}).form == "refused"
    return found


def test_a_plain_call_is_answered_recorded_and_costs_no_time(begin):
    with begin() as run:
        assert run.tools.pay("1") == PAID
        assert run.clock.elapsed() == 0
    (view,) = run.trace.calls()
    assert (view.tool, view.args, view.ok, view.result, view.world_rev) == ("pay", ORDER, True, PAID, 1)
    assert run.result.status == "passed"


def test_drawn_faults_differ_between_runs_and_not_between_reruns(begin):
    amounts = [float(n) for n in range(40)]
    maps = []
    for index in (0, 1, 0):
        with begin(HALF, run_index=index) as run:
            maps.append(paying(run, amounts))
    assert maps[0] == maps[2]
    assert maps[0] != maps[1]
    assert 5 < sum(maps[0].values()) < 35


def test_drawn_faults_differ_between_seeds(begin):
    amounts = [float(n) for n in range(40)]
    maps = []
    for seed in (1, 2):
        with begin(HALF, seed=seed) as run:
            maps.append(paying(run, amounts))
    assert maps[0] != maps[1]


def test_an_unrelated_call_shifts_nothing(begin):
    amounts = [float(n) for n in range(30)]
    with begin(HALF) as run:
        before = paying(run, amounts)
    with begin(HALF) as run:
        after: dict[float, bool] = {}
        for amount in amounts:
            run.interposer.call("get_order", {"id": "1"})
            after |= paying(run, [amount])
    assert before == after


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_five_reruns_with_shuffled_arrivals_give_one_map_of_drawn_faults(begin, mode):
    async def agent(run, order):
        async def one(amount):
            await asyncio.sleep(order.index(amount) % 7)
            return amount, (await client.call_tool("pay", {**ORDER, "amount": amount})).is_error

        async with mcp.Client(run.mcp_server, mode=mode) as client:
            return dict(await asyncio.gather(*(one(amount) for amount in order)))

    maps = []
    for rerun in range(5):
        order = [float(n) for n in range(25)]
        random.Random(rerun).shuffle(order)
        with begin(HALF, {"target": "default", "kind": "latency_ms", "ms": [5, 900]}) as run:
            maps.append(asyncio.run(agent(run, order)))
    assert all(found == maps[0] for found in maps)
    assert len(set(maps[0].values())) == 2


def test_what_looks_like_an_id_or_the_time_makes_no_new_point(begin):
    maps = []
    for stamp in ("0b6f1a52-9f4e-4c1c-9a60-3f0c7c6b1f10", "5c9b1a52-0000-4c1c-9a60-3f0c7c6b1f10"):
        with begin(HALF) as run:
            run.interposer.call("pay", {**ORDER, "request": stamp})
            maps.append(json.loads(run.trace.lines[1])["digest"])
    assert maps[0] == maps[1]


def trace_of(path, hash_seed, folder):
    return subprocess.run(
        [sys.executable, traced_agent.__file__, str(path)],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
    ).stdout


def test_traces_are_the_same_bytes_in_any_process_and_folder(payments, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(trace_of, payments, "1", tmp_path)
        same = pool.submit(trace_of, payments.name, "2", payments.parent)
    here, other = (traced_agent.trace(payments, index) for index in (0, 1))
    assert one.result() == same.result() == here
    assert faults_in(here) > 3
    assert [line[90:] for line in here.splitlines()] != [line[90:] for line in other.splitlines()]


def faults_in(text):
    return text.count(b'"kind":"fault"')


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("tool", ["pay", "pay_slowly"])
def test_fifty_concurrent_calls_leave_fifty_effects_each_with_its_call(begin, tool, mode):
    async def agent(run):
        async with mcp.Client(run.mcp_server, mode=mode) as client:
            calls = [client.call_tool(tool, {**ORDER, "amount": float(n)}) for n in range(50)]
            return [result.structured_content for result in await asyncio.gather(*calls)]

    with begin({"target": "default", "kind": "latency_ms", "ms": [1, 500]}) as run:
        answers = asyncio.run(agent(run))
    assert [answer["amount"] for answer in answers] == [float(n) for n in range(50)]
    assert Counter(effect.after["amount"] for effect in run.world.ledger if effect.after) == {
        float(n): 1 for n in range(50)
    }
    for view in run.trace.calls_to(tool):
        (effect,) = view.effects
        assert effect.after["amount"] == view.args["amount"] == view.result["amount"]
        assert effect.after["id"] == view.result["id"]


def test_threads_may_call_at_once(begin):
    with begin() as run:

        def call(n):
            return run.tools.pay("1", float(n))["amount"]

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(call, range(200))) == [float(n) for n in range(200)]
    assert sorted(effect.after["amount"] for effect in run.world.ledger) == [float(n) for n in range(200)]
    assert [effect.rev for effect in run.world.ledger] == list(range(1, 201))
    views = run.trace.calls_to("pay")
    assert len(views) == 200
    for view in views:
        assert [effect.after["amount"] for effect in view.effects] == [view.args["amount"]]


def test_a_counting_rule_fires_once_however_many_threads_call(begin):
    with begin({"target": "payments.pay", "kind": "http_500", "nth": 5}) as run:
        gate = threading.Barrier(8)

        def call(_):
            gate.wait(10)
            return run.interposer.call("pay", ORDER).form

        with ThreadPoolExecutor(8) as pool:
            assert Counter(pool.map(call, range(8))) == {"value": 7, "refused": 1}


def test_a_tool_that_is_not_there_is_recorded_with_what_its_caller_saw(begin):
    with begin() as run:
        assert run.interposer.call("payy", ORDER).form == "unknown_tool"
        assert asyncio.run(run.interposer.acall("payy", ORDER)).error == "Unknown tool: payy"
    first, second = run.trace.calls()
    assert (first.tool, first.args, first.ok, first.error) == ("payy", ORDER, False, "Unknown tool: payy")
    assert second.error == first.error
    assert run.trace.line() == "payy✗ ×2"


def test_a_removed_tool_stays_away_and_its_calls_are_recorded(begin):
    with begin({"target": "payments.pay", "kind": "tool_removed", "nth": 2}) as run:
        forms = [run.interposer.call("pay", ORDER).form for _ in range(4)]
        assert "pay" not in run.interposer.visible()
    assert forms == ["value", "unknown_tool", "unknown_tool", "unknown_tool"]
    assert [view.fault for view in run.trace.calls_to("pay")] == [None, "tool_removed", None, None]


@pytest.mark.parametrize("record", [True, False])
def test_the_limit_of_calls_counts_every_call(begin, record):
    with pytest.raises(LimitReached, match="more than 3 tool calls"), begin(limits={"calls": 3}, record=record) as run:
        for _ in range(10):
            run.tools.get_order("1")
    assert run.result.status == "hung"
    assert run.interposer.calls == 4


@pytest.mark.parametrize("wire", WIRES)
def test_latency_moves_the_clock(begin, wire):
    with begin({"target": "payments.pay", "kind": "latency_ms", "ms": 150}) as run:
        assert WIRES[wire](run, "pay", ORDER).how == "value"
        assert run.clock.elapsed() == 0.15
        assert WIRES[wire](run, "get_order", {"id": "1"}).how == "value"
        assert run.clock.elapsed() == 0.15
    assert [view.latency_ms for view in run.trace.calls()] == [150, 0]


@pytest.mark.parametrize("wire", WIRES)
def test_drawn_latency_stays_in_its_range_and_is_the_same_again(begin, wire):
    rules = {"target": "payments.pay", "kind": "latency_ms", "ms": [50, 200]}
    seen = []
    for _ in range(2):
        with begin(rules) as run:
            for amount in (1.0, 2.0, 3.0):
                WIRES[wire](run, "pay", {**ORDER, "amount": amount})
        seen.append([view.latency_ms for view in run.trace.calls()])
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == 3
    assert all(50 <= latency <= 200 for latency in seen[0])


@pytest.mark.parametrize("wire", WIRES)
def test_a_rate_limit_refuses_tells_when_and_recovers_with_the_clock(begin, wire):
    with begin({"target": "payments.pay", "kind": "rate_limit", "calls": 2, "per_seconds": 60}) as run:
        play = WIRES[wire]
        assert play(run, "pay", ORDER).how == "value"
        run.clock.advance(10)
        assert play(run, "pay", ORDER).how == "value"
        assert play(run, "pay", ORDER) == ("refused", "429 Too Many Requests. Retry after 50 seconds.")
        run.clock.advance(49)
        assert play(run, "pay", ORDER).how == "refused"
        run.clock.advance(2)
        assert play(run, "pay", ORDER).how == "value"
        assert play(run, "get_order", {"id": "1"}).how == "value"
    assert len(run.world.payments) == 3
    refusals = [json.loads(line) for line in run.trace.lines if b'"status":429' in line]
    assert [refusal["retry_after"] for refusal in refusals] == [50, 1]


def test_a_refusal_of_the_limiter_takes_the_latency_too(begin):
    plan = {"payments.pay": {"latency_ms": 500, "rate_limit": {"calls": 1, "per_seconds": 60}}}
    with begin(plan=plan) as run:
        assert [run.interposer.call("pay", ORDER).status for _ in range(2)] == [None, 429]
        assert run.clock.elapsed() == 1
    assert [view.latency_ms for view in run.trace.calls()] == [500, 500]


class Uncopyable:
    def __deepcopy__(self, memo):
        raise TypeError("no")


def test_arguments_that_cannot_be_copied_are_refused_and_no_crash(begin):
    endless: list[object] = []
    endless.append(endless)
    for odd in ([Uncopyable()], endless, {"a": {1, 2}}, object(), float("nan"), "\ud800", {5: 6}):
        for record in (True, False):
            with begin(record=record) as run:
                assert run.interposer.call("pay", {**ORDER, "amount": odd}).form == "refused"
                assert run.interposer.call("nothing", {"x": odd}).form == "unknown_tool"
            assert run.result.status == "passed"


def test_a_refusal_of_the_limiter_can_be_waited_for(begin):
    with begin({"target": "payments.pay", "kind": "rate_limit", "calls": 1, "per_seconds": 30}) as run:
        run.tools.pay("1")
        with pytest.raises(ToolError) as refusal:
            run.tools.pay("1")
        assert (refusal.value.status, refusal.value.retry_after) == (429, 30)
        run.clock.sleep(refusal.value.retry_after)
        run.tools.pay("1")


@pytest.mark.parametrize("wire", WIRES)
def test_a_young_record_is_not_found_until_it_has_aged(begin, wire):
    young = {"orders.get_order": {"errors": {"not_found_if_newer_than": "2h"}}}
    with begin(plan=young) as run:
        assert WIRES[wire](run, "get_order", {"id": "1"}) == ("refused", "404 Not Found")  # an hour old at the start
        run.clock.advance(timedelta(minutes=59))
        assert WIRES[wire](run, "get_order", {"id": "1"}).how == "refused"
        run.clock.advance(timedelta(minutes=2))
        assert WIRES[wire](run, "get_order", {"id": "1"}).how == "value"
    assert run.result.fired == 2
    assert run.result.status == "passed"


def test_a_rule_of_one_scope_leaves_others_alone_and_counts_apart(begin):
    with begin({"target": "payments.pay", "kind": "http_500", "nth": 2}) as run:
        forms = {}
        for name in ("a", "b"):
            with scope(name):
                forms[name] = [run.interposer.call("pay", ORDER).form for _ in range(2)]
        assert run.interposer.call("pay", ORDER).form == "value"
    assert forms == {"a": ["value", "refused"], "b": ["value", "refused"]}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_scope_reaches_the_server_from_the_clients_task(begin, mode):
    async def one(client, name):
        with scope(name):
            return [(await client.call_tool("pay", ORDER)).is_error for _ in range(2)]

    async def agent(run):
        async with mcp.Client(run.mcp_server, mode=mode) as client:
            return await asyncio.gather(one(client, "a"), one(client, "b"))

    with begin({"target": "payments.pay", "kind": "http_500", "nth": 2, "scope": "a"}) as run:
        assert asyncio.run(agent(run)) == [[False, True], [False, False]]
    assert {json.loads(line)["scope"] for line in run.trace.lines if b'"tool_call"' in line} == {"a", "b"}


def test_a_scope_needs_a_name(begin):
    with pytest.raises(UsageError, match="no name of a scope"), scope("a b"):
        pass


@pytest.mark.parametrize("wire", WIRES)
def test_conditions_on_arguments_count_only_what_meets_them(begin, wire):
    with begin({"target": "payments.pay", "kind": "http_500", "nth": 2, "when": {"amount": [5.0, 6.0]}}) as run:
        hows = [WIRES[wire](run, "pay", {**ORDER, "amount": a}).how for a in (5.0, 1.0, 6.0, 5.0)]
    assert hows == ["value", "value", "refused", "value"]


def test_the_default_holds_for_every_target_that_says_nothing_else(begin):
    plan = {
        "default": {"errors": {"http_500": 1.0}, "latency_ms": 10},
        "payments.pay": {"errors": {"http_500": 0.0}},
    }
    with begin(plan=plan) as run:
        assert run.interposer.call("pay", ORDER).form == "value"
        assert run.interposer.call("get_order", {"id": "1"}).status == 500
        assert run.clock.elapsed() == 0.02


def test_arguments_are_recorded_as_they_were_when_the_call_was_made(begin):
    tags = ["x"]
    with begin() as run:
        answer = run.tools.update_order("1", tags=tags)
        tags.append("y")
        answer["tags"].append("z")
        assert run.tools.get_order("1")["tags"] == ["x"]
    (view,) = run.trace.calls_to("update_order")
    assert (view.args["tags"], view.result["tags"]) == (["x"], ["x"])
    assert run.world.ledger[0].call.args["tags"] == ["x"]
    assert run.world.ledger[0].after["tags"] == ["x"]


def test_a_call_after_the_end_of_a_run_is_refused(begin):
    with begin() as run:
        pay = run.tools.pay
    lines = list(run.trace.lines)
    with pytest.raises(UsageError, match="this run has ended"):
        pay("1")
    with pytest.raises(UsageError, match="this run has ended"):
        asyncio.run(run.tools.aio.pay("1"))
    assert run.trace.lines == lines


def test_finally_of_a_run_may_call_tools(begin):
    with begin() as run:
        finally_(lambda: run.tools.get_order("1"))
    assert run.trace.line() == "get_order"


MEMORY = Target("memory.step0", "")


def test_points_that_are_no_calls_are_noted_for_who_brings_a_decider_of_their_own(begin):
    with begin(decider=Calm()) as run:
        run.tools.pay("1")
        run.interposer.beside(MEMORY, {})
        run.tools.pay("1")
        run.interposer.beside(MEMORY, {})
        noted = [(each.target.name, each.point.nth, each.at) for each in run.interposer.besides]
    before = [at for _, _, at in noted]
    assert [(name, nth) for name, nth, _ in noted] == [("memory.step0", 1), ("memory.step0", 2)]
    assert 1 < before[0] < before[1] < len(run.trace.lines)
    assert not [line for line in run.trace.lines if b"memory.step0" in line]


def test_elsewhere_they_leave_nothing(begin):
    with begin() as run:
        assert run.interposer.beside(MEMORY, {}) is None
        assert run.interposer.besides == []
