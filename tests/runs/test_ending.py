"""How a run ends: what still waits, what lands late, whose bug it was."""

from __future__ import annotations

import asyncio

import mcp
import pytest

import squall
from squall import LimitReached, ToolError, UsageError
from squall.runs.ending import BrainBug, HandlerBug, astray
from squall.runs.environment import Environment
from squall.trace.kinds import Faulted, Landed, ToolResult

WORLD = """
name: hotel
services:
  rooms:
    records: { hold: { id: str, room: str, at: datetime } }
    operations:
      hold_room: { kind: custom, handler: hotel_rules.hold_room }
      count_holds: { kind: list, record: hold }
      slow: { kind: custom, handler: hotel_rules.slow }
"""
RULES = '''
import sys


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def hold_room(world, clock, room: str):
    """Hold a room."""
    if room == "taken" or (room == "soon" and clock.now().minute >= 10):
        raise ValueError(f"room {room} is taken")
    if room == "broken":
        return helper(None)
    if room == "wordless":
        raise Wordless
    if room == "exit":
        sys.exit(3)
    return world.holds.insert(room=room, at=clock.now())


def helper(row):
    return row.status


async def slow(world, clock, room: str):
    """Hold a room, slowly."""
    return world.holds.insert(room=room, at=clock.now())
'''


@pytest.fixture
def hotel(tmp_path):
    (tmp_path / "hotel_rules.py").write_text(RULES, encoding="utf-8")
    path = tmp_path / "hotel.yaml"
    path.write_text(WORLD, encoding="utf-8")
    return path


def rule(kind, phase="after", tool="hold_room", **more):
    return [{"target": f"rooms.{tool}", "kind": kind, "nth": 1, "phase": phase, **more}]


def result_of(run):
    assert run.result is not None
    return run.result


def events(run, kind):
    return [entry.event for entry in run.trace if isinstance(entry.event, kind)]


async def over_mcp(run):
    async with mcp.Client(run.mcp_server) as client:
        await client.call_tool("hold_room", {"room": "1"})


async def over_aio(run):
    await run.tools.aio.hold_room("1")


@pytest.mark.parametrize("agent", [over_mcp, over_aio])
def test_a_hang_that_nobody_ends_is_in_the_trace_and_named_on_the_limit(hotel, agent):
    with pytest.raises(LimitReached) as reached, Environment(hotel, faults=rule("hang")) as run:
        asyncio.run(agent(run))
    assert result_of(run).status == "hung"
    assert result_of(run).line == "hold_room!hang(after)"
    (fault,), (result,) = events(run, Faulted), events(run, ToolResult)
    assert (fault.fault, fault.fired, result.form, result.ok) == ("hang", True, "cancelled", False)
    assert run.trace.not_fired() == []
    assert len(run.world.holds) == 1
    notes = "\n".join(reached.value.__notes__)
    assert "Limits stand in a plan" in notes


def test_what_a_run_was_waiting_for_when_it_hit_its_limit_is_told(hotel):
    async def agent(run):
        await asyncio.gather(*(run.tools.aio.hold_room(room) for room in ("1", "2")))

    plan = [{"target": "rooms.hold_room", "kind": "hang", "times": 2}]
    run = Environment(hotel, faults=plan)
    with run:
        pending = []

        async def main():
            pending.append(asyncio.ensure_future(agent(run)))
            await asyncio.sleep(5)
            return run.interposer.waiting()

        waiting = asyncio.run(main())
    assert waiting == [
        "call 1: hold_room(room='1') since 0 s, hang(after)",
        "call 2: hold_room(room='2') since 0 s, hang(after)",
    ]


@pytest.mark.parametrize("phase", ["before", "after", "late"])
@pytest.mark.parametrize("tool", ["hold_room", "slow"])
def test_a_call_that_the_agent_left_waiting_keeps_what_its_phase_promises(hotel, phase, tool):
    loops = []

    async def agent(run):
        loops.append(asyncio.get_running_loop())
        task = asyncio.ensure_future(getattr(run.tools.aio, tool)("1"))
        await asyncio.sleep(1)
        result = run.finish()  # as the pytest plug-in does: the loop, and what waits in it, still live
        task.cancel()
        return result

    with Environment(hotel, faults=rule("hang", phase, tool)) as run:
        result = asyncio.run(agent(run))
    assert len(run.world.ledger) == (phase != "before")
    assert result.line == f"{tool}!hang({phase})"
    assert [event.error for event in events(run, ToolResult)] == ["the run ended while the call waited"]
    assert run.trace.status == "passed"


def test_late_effects_land_at_their_own_time_when_the_run_ends(hotel):
    with Environment(hotel, faults=rule("http_500", "late", late_by="30m")) as run, pytest.raises(ToolError):
        run.tools.hold_room("1")
    (effect,) = run.world.ledger
    assert effect.t == 1800.0
    assert str(effect.call) == "call 1, late: hold_room(room='1')"
    assert run.world.holds["1"].at.minute == 30


def test_a_late_effect_that_is_refused_when_it_lands_is_in_the_trace(hotel):
    with Environment(hotel, faults=rule("http_500", "late", late_by="30m")) as run, pytest.raises(ToolError):
        run.tools.hold_room("soon")
    assert not run.world.ledger
    (landed,) = events(run, Landed)
    assert (landed.call, landed.form, landed.error) == (1, "refused", "room soon is taken")
    assert result_of(run).line == "hold_room!http_500(late: refused)"


def test_a_late_effect_that_lands_says_nothing_more_in_the_line(hotel):
    with Environment(hotel, faults=rule("http_500", "late")) as run, pytest.raises(ToolError):
        run.tools.hold_room("1")
    assert [landed.form for landed in events(run, Landed)] == ["value"]
    assert result_of(run).line == "hold_room!http_500(late)"


def test_a_refusal_is_marked_in_the_line(hotel):
    with Environment(hotel) as run:
        with pytest.raises(ToolError):
            run.tools.hold_room("taken")
        run.tools.hold_room("1")
    assert result_of(run).line == "hold_room✗ → hold_room"


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("broken", "AttributeError: 'NoneType' object has no attribute 'status' (hotel_rules.py:24 in helper)"),
        ("wordless", "Wordless: <its text cannot be had: RuntimeError> (hotel_rules.py:17 in hold_room)"),
        ("exit", "SystemExit: 3 (hotel_rules.py:19 in hold_room)"),
    ],
)
def test_a_broken_handler_says_what_it_raised_and_where(hotel, room, text):
    with pytest.raises(HandlerBug) as bug, Environment(hotel) as run, pytest.raises(ToolError, match="Internal error"):
        run.tools.hold_room(room)
    assert str(bug.value) == f"the handler of hold_room raised {text}"
    assert (result_of(run).status, run.trace.status) == ("failed", "failed")


def test_a_function_for_the_end_must_be_one_and_come_in_time(hotel):
    with Environment(hotel) as run:
        with pytest.raises(
            UsageError, match=r"was given None, which is no function\n    Give a function: squall.finally_\(lambda"
        ):
            run.finally_(squall.at_most_once(run.world.holds, by="room"))  # type: ignore[func-returns-value]  # the mistake itself
        run.finish()
        with pytest.raises(UsageError, match="this run has ended"):
            squall.finally_(lambda: None)


def test_a_misspelt_tool_is_not_counted_as_never_called(hotel):
    with Environment(hotel) as run:
        assert run.trace.count("hold_room") == 0
        for ask in (run.trace.count, run.trace.calls_to, run.trace.find):
            with pytest.raises(LookupError, match="no tool 'hold_rom' in this run; did you mean 'hold_room'"):
                ask("hold_rom")
        run.interposer.call("hold_rom")
        assert run.trace.count("hold_rom") == 1


def test_what_went_astray_is_told_once_and_bugs_with_their_lines():
    found = []
    for _ in range(2):
        try:
            {"there": 1}["missing"]
        except KeyError as error:
            found.append(error)
    told = astray([*found, UsageError("no answer"), UsageError("no answer"), ValueError("odd")])
    assert [type(each) for each in told] == [BrainBug, UsageError, ValueError]  # the last was nobody's but ours
    assert str(told[0]).startswith("the model's brain raised KeyError: 'missing' (test_ending.py:")
    assert told[0].__cause__ is found[0]


def test_what_is_no_exception_of_a_brains_own_stays_what_it_is():
    failed = pytest.fail.Exception("no")
    assert astray([failed]) == [failed]
