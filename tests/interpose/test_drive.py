"""Async operations, cancelled callers and waits, over the interposer's own doors and the official client."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import anyio
import mcp
import pytest
from mcp.shared.exceptions import MCPError

from squall import LimitReached
from tests.conformance.fault_over_wire import PAID, WIRES

IMPATIENT = [wire for wire in WIRES if wire != "callables"]
ORDER = {"order_id": "1"}


def at(operation, kind, phase="after", **more):
    return {"target": f"payments.{operation}", "kind": kind, "phase": phase, "nth": 1, **more}


@pytest.mark.parametrize("wire", WIRES)
def test_an_async_operation_answers_on_every_wire(begin, wire):
    with begin() as run:
        assert WIRES[wire](run, "pay_slowly", ORDER) == ("value", PAID)
        assert run.clock.elapsed() == 2
    (effect,) = run.trace.effects()
    assert (effect.call, effect.late) == (1, False)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("phase", "count", "t"), [("before", 0, None), ("after", 1, 2), ("late", 1, 34)])
def test_phases_hold_for_async_operations(begin, wire, phase, count, t):
    later = {"late_by": 32} if phase == "late" else {}
    with begin(at("pay_slowly", "http_500", phase, **later)) as run:
        assert WIRES[wire](run, "pay_slowly", ORDER).how == "refused"
        run.clock.advance(60)
        assert len(run.world.payments) == count
    assert [effect.t for effect in run.world.ledger] == [t] * count


@pytest.mark.parametrize("wire", IMPATIENT)
@pytest.mark.parametrize("kind", ["timeout", "http_500", "wrong_value", "latency"])
def test_an_effect_that_takes_longer_than_its_caller_waits_is_not_lost(begin, wire, kind):
    with begin(at("pay_slowly", kind)) as run:
        assert WIRES[wire](run, "pay_slowly", ORDER, deadline=1).how == "timeout"
        assert run.clock.elapsed() == 1
        assert not run.world.payments.all()
    assert len(run.world.ledger) == 1
    assert [effect.late for effect in run.trace.effects()] == [True]


@pytest.mark.parametrize("wire", IMPATIENT)
@pytest.mark.parametrize("phase", ["before", "after", "late"])
def test_both_deliveries_happen_to_a_caller_who_left_during_the_first(begin, wire, phase):
    with begin(at("pay_slowly", "duplicate_delivery", phase)) as run:
        assert WIRES[wire](run, "pay_slowly", ORDER, deadline=1).how == "timeout"
    assert len(run.world.ledger) == 2
    assert run.result.status == "passed"


@pytest.mark.parametrize("wire", IMPATIENT)
@pytest.mark.parametrize("kind", ["latency", "wrong_value", "http_500"])
def test_a_late_effect_lands_for_a_caller_who_left_early(begin, wire, kind):
    with begin(at("pay_slowly", kind, "late")) as run:
        WIRES[wire](run, "pay_slowly", ORDER, deadline=1)
    assert len(run.world.ledger) == 1


@pytest.mark.parametrize("wire", IMPATIENT)
def test_without_a_fault_an_async_operation_ends_with_its_request(begin, wire):
    with begin() as run:
        assert WIRES[wire](run, "pay_slowly", ORDER, deadline=1).how == "timeout"
    assert not run.world.ledger


def test_a_promised_effect_lands_in_its_own_time_while_the_agent_goes_on(begin):
    async def agent(run):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await run.tools.aio.pay_slowly("1")
        assert run.clock.elapsed() == 1
        await asyncio.sleep(5)

    with begin(at("pay_slowly", "timeout")) as run:
        asyncio.run(agent(run))
        assert [effect.t for effect in run.world.ledger] == [2]
    assert len(run.world.ledger) == 1


def test_a_late_async_effect_begins_at_its_time_and_takes_its_time(begin):
    async def agent(run):
        with pytest.raises(Exception, match="500"):
            await run.tools.aio.pay_slowly("1")
        await asyncio.sleep(60)

    with begin(at("pay_slowly", "http_500", "late")) as run:
        asyncio.run(agent(run))
        assert [effect.t for effect in run.world.ledger] == [32]


def test_a_late_async_effect_that_its_loop_outran_lands_at_the_end(begin):
    async def agent(run):
        with pytest.raises(Exception, match="500"):
            await run.tools.aio.pay_slowly("1")
        await asyncio.sleep(31)

    with begin(at("pay_slowly", "http_500", "late")) as run:
        asyncio.run(agent(run))
        assert not run.world.ledger
    assert len(run.world.ledger) == 1


def test_settling_inside_a_loop_lands_an_async_effect_at_once(begin):
    async def agent(run):
        with pytest.raises(Exception, match="500"):
            await run.tools.aio.pay_slowly("1")
        run.world.settle()
        assert len(run.world.payments) == 1
        await asyncio.sleep(60)

    with begin(at("pay_slowly", "http_500", "late")) as run:
        asyncio.run(agent(run))
    assert len(run.world.ledger) == 1


def test_a_run_that_ends_inside_a_loop_has_all_its_effects(begin):
    seen = []

    async def agent():
        with begin(at("pay_slowly", "timeout", times=2)) as run:
            run.finally_(lambda: seen.append(len(run.world.payments)))
            for _ in range(2):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(1):
                        await run.tools.aio.pay_slowly("1")
        return run

    run = asyncio.run(agent())
    assert seen == [2]
    assert len(run.world.ledger) == 2


def test_a_sync_tool_waits_for_an_async_operation_inside_a_loop(begin):
    async def agent(run):
        ticked = asyncio.create_task(asyncio.sleep(1))
        answer = run.tools.pay_slowly("1")
        assert run.clock.elapsed() == 2
        assert not ticked.done()
        await ticked
        assert asyncio.current_task() is not None
        return answer

    with begin() as run:
        assert asyncio.run(agent(run)) == PAID


def test_the_latency_does_not_lose_what_a_fault_promises(begin):
    for operation in ("pay", "pay_slowly"):
        rules = [
            at(operation, "timeout", nth=None, probability=1.0),
            {"target": f"payments.{operation}", "kind": "latency_ms", "ms": 20_000},
        ]
        rules[0].pop("nth")
        for wire in IMPATIENT:
            with begin(*rules) as run:
                assert WIRES[wire](run, operation, ORDER, deadline=10).how == "timeout"
                assert run.clock.elapsed() == 10
            assert len(run.world.ledger) == 1, (operation, wire)
            assert [fault.fault for fault in run.trace.faults()] == ["timeout"]


@pytest.mark.parametrize(
    ("kind", "phase", "count", "fired"),
    [
        ("timeout", "before", 0, 0),
        ("timeout", "late", 1, 1),
        ("http_500", "after", 1, 1),
        ("latency", "after", 1, 1),
        ("wrong_value", "after", 1, 0),
        ("wrong_value", "late", 1, 0),
        ("wrong_value", "before", 0, 0),
        ("duplicate_delivery", "after", 2, 1),
        ("duplicate_delivery", "late", 2, 1),
        ("duplicate_delivery", "before", 0, 0),
    ],
)
@pytest.mark.parametrize("operation", ["pay", "pay_slowly"])
def test_what_a_caller_who_left_during_the_latency_has_set_off(begin, operation, kind, phase, count, fired):
    slow = {"target": f"payments.{operation}", "kind": "latency_ms", "ms": 20_000}
    with begin(at(operation, kind, phase), slow) as run:
        assert WIRES["aio"](run, operation, ORDER, deadline=10).how == "timeout"
        assert run.clock.elapsed() == 10
    assert len(run.world.ledger) == count
    assert run.result.fired == fired
    assert run.result.status == ("passed" if fired else "not_fired")


def test_a_call_without_a_fault_that_is_given_up_in_its_latency_does_nothing(begin):
    with begin({"target": "payments.pay", "kind": "latency_ms", "ms": 20_000}) as run:
        assert WIRES["client"](run, "pay", ORDER, deadline=10).how == "timeout"
    assert not run.world.ledger


async def by_asyncio(call):
    async with asyncio.timeout(5):
        await call


async def by_anyio(call):
    with anyio.fail_after(5):
        await call


async def by_task(call):
    task = asyncio.ensure_future(call)
    asyncio.get_running_loop().call_later(5, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        raise TimeoutError from None


async def by_wait_for(call):
    await asyncio.wait_for(call, 5)


@pytest.mark.parametrize("give_up", [by_asyncio, by_anyio, by_task, by_wait_for])
@pytest.mark.parametrize("operation", ["pay", "pay_slowly"])
@pytest.mark.parametrize(("phase", "count"), [("before", 0), ("after", 1), ("late", 1)])
def test_however_a_caller_gives_up_the_phase_is_kept(begin, give_up, operation, phase, count):
    async def agent(run):
        with pytest.raises(TimeoutError):
            await give_up(run.tools.aio[operation]("1"))
        assert run.clock.elapsed() == 5

    with begin(at(operation, "timeout", phase)) as run:
        asyncio.run(agent(run))
    assert len(run.world.ledger) == count
    (view,) = run.trace.calls()
    assert (view.ok, view.error) == (False, "the caller gave up (CancelledError)")


@pytest.mark.parametrize("operation", ["pay", "pay_slowly"])
@pytest.mark.parametrize(("phase", "count"), [("before", 0), ("after", 1), ("late", 1)])
@pytest.mark.parametrize("latency", [0, 20_000])
def test_a_coroutine_that_is_closed_while_it_waits_is_a_caller_who_gave_up(begin, operation, phase, count, latency):
    async def agent(run):
        call = run.tools.aio[operation]("1")
        call.send(None)
        call.close()

    slow = {"target": f"payments.{operation}", "kind": "latency_ms", "ms": latency}
    with begin(at(operation, "timeout", phase), slow) as run:
        asyncio.run(agent(run))
    assert len(run.world.ledger) == count
    assert run.trace.calls()[0].ok is False


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_closes_while_it_waits_loses_no_effect(begin, mode):
    async def agent(run):
        async with mcp.Client(run.mcp_server, mode=mode) as client:
            waiting = asyncio.create_task(client.call_tool("pay_slowly", ORDER))
            await asyncio.sleep(1)
            waiting.cancel()
            await asyncio.wait([waiting])

    with begin(at("pay_slowly", "connection_lost")) as run:
        asyncio.run(agent(run))
    assert len(run.world.ledger) == 1


def retrying(call):
    """An agent's loop that swallows every exception there is."""
    for _ in range(10_000):
        with suppress(Exception):
            return call()
    return "gave up"


async def aretrying(call):
    for _ in range(10_000):
        with suppress(Exception):
            return await call()
    return "gave up"


def sync_agent(run):
    retrying(lambda: run.tools.pay("1"))


def async_agent(run):
    asyncio.run(aretrying(lambda: run.tools.aio.pay("1")))


def mcp_agent(mode):
    def agent(run):
        async def main():
            async with mcp.Client(run.mcp_server, mode=mode) as client:
                await aretrying(lambda: client.call_tool("pay", ORDER))

        asyncio.run(main())

    return agent


AGENTS = {"sync": sync_agent, "async": async_agent, "mcp": mcp_agent("auto"), "legacy": mcp_agent("legacy")}


def leaves(error):
    return [leaf for each in error.exceptions for leaf in leaves(each)] if hasattr(error, "exceptions") else [error]


def notes(error):
    return [*getattr(error, "__notes__", ()), *(str(leaf) for leaf in leaves(error))]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_hang_ends_a_run_at_its_limit_and_no_retry_swallows_that(begin, agent):
    with pytest.raises(BaseException) as caught, begin(at("pay", "hang")) as run:
        AGENTS[agent](run)
    assert any(isinstance(leaf, LimitReached) for leaf in leaves(caught.value))
    assert run.result.status == "hung"
    assert run.clock.elapsed() == 3600
    assert run.trace.count("pay") == 1


async def calling_for_ever(call):
    while True:
        with suppress(Exception):
            await call()


def over_mcp(mode):
    async def agent(run, tool):
        async with mcp.Client(run.mcp_server, mode=mode) as client:
            await calling_for_ever(lambda: client.call_tool(tool, ORDER))

    return agent


async def over_aio(run, tool):
    await calling_for_ever(lambda: run.interposer.acall(tool, ORDER))


async def over_tools(run, tool):
    while True:
        run.interposer.call(tool, ORDER)


@pytest.mark.parametrize("agent", [over_mcp("auto"), over_mcp("legacy"), over_aio, over_tools])
@pytest.mark.parametrize("tool", ["pay", "pya"])
def test_an_agent_that_calls_for_ever_ends_at_the_limit_of_calls(begin, agent, tool):
    everywhere = {"target": "payments.pay", "kind": "http_500", "probability": 1}
    with pytest.raises(BaseException) as caught, begin(everywhere, limits={"calls": 20}) as run:
        asyncio.run(agent(run, tool))
    assert any(isinstance(leaf, LimitReached) for leaf in leaves(caught.value))
    assert run.result.status == "hung"
    assert run.trace.count(tool) == 20
    assert "the run made more than 20 tool calls" in "\n".join([str(caught.value), *notes(caught.value)])


@pytest.mark.parametrize("wire", IMPATIENT)
@pytest.mark.parametrize("began", [0, 0.1 + 0.2, 1 / 3, 86_400.000_001])
@pytest.mark.parametrize("operation", ["pay", "pay_slowly"])
def test_a_deadline_as_long_as_the_wait_for_an_answer_fires_first(begin, wire, began, operation):
    with begin(at(operation, "timeout", "before", answer_after=60)) as run:
        run.clock.advance(began)
        before = run.clock.elapsed()
        seen = WIRES[wire](run, operation, ORDER, deadline=60)
        assert run.clock.elapsed() - before == pytest.approx(60, abs=2e-6)
    assert seen.how == "timeout"
    assert seen.said != "The request timed out."  # its own, and not the server's


def test_the_clients_own_deadline_fires_at_each_attempt(begin):
    async def agent(run):
        times = []
        async with mcp.Client(run.mcp_server, read_timeout_seconds=60) as client:
            for _ in range(2):
                with pytest.raises(MCPError):
                    await client.call_tool("pay", ORDER)
                times.append(run.clock.elapsed())
            await client.call_tool("pay", ORDER)
        return times

    with begin({**at("pay", "timeout", answer_after=90), "times": 2}) as run:
        assert asyncio.run(agent(run)) == [60, 120]
    assert [effect.t for effect in run.world.ledger] == [0, 60, 120]
