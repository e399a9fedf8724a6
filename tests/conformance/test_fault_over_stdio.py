"""The table of `fault_over_wire`, row by row and phase by phase, before a process over stdio.

A process takes a second to start, so that one serves the whole table: each story has a tool of its own there. Faults
that end more than a call have a process each. Time is real, and waits are short.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

import mcp
import mcp_types as types
import pytest
from mcp.client.stdio import stdio_client
from mcp_types.version import LATEST_HANDSHAKE_VERSION

from squall.trace.kinds import Abandoned
from tests.conformance.fault_over_wire import PAID, PHASES, ROWS, RULES, Row, Seen, result_of, seen_over_mcp
from tests.conformance.runs import beginner, written

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])
SHORT = 0.02  # seconds: what waits come to, stated or not
LATE = 3600  # so that what is late lands with the end, and not before
DEADLINE = 2.0  # long enough for each call to be on its way
HELLO = types.InitializeRequest(
    params=types.InitializeRequestParams(
        protocol_version=LATEST_HANDSHAKE_VERSION,
        capabilities=types.ClientCapabilities(),
        client_info=types.Implementation(name="agent", version="1"),
    )
)
TIMED_OUT = Seen("timeout", "The request timed out.")


class Story(NamedTuple):
    """One row of the table in one phase, with a tool of its own."""

    row: Row
    phase: str
    tool: str

    def rule(self, wait: float) -> dict[str, Any]:
        params = {**self.row.params, **({"late_by": LATE} if self.phase == "late" else {})}
        params |= {name: wait for name in ("answer_after", "seconds") if name in params}
        return {"target": f"till.{self.tool}", "kind": self.row.kind, "nth": 1, "phase": self.phase, **params}

    @property
    def effects(self) -> list[bool]:
        """Which effects there are in the end, and for each whether it came after the answer."""
        at_once, later = self.row.effects[PHASES.index(self.phase)]
        return [False] * at_once + [True] * (later - at_once)

    def is_what_was_expected(self, seen: Seen) -> bool:
        """Ids differ, since all stories are of one world; and what hangs is answered at last, where time is real."""
        how, said = TIMED_OUT if self.row.kind == "hang" else self.row.seen
        if isinstance(said, str):
            said = said.replace(": pay", f": {self.tool}")
        if isinstance(seen.said, dict) and "id" in seen.said:
            seen = Seen(seen.how, {**seen.said, "id": PAID["id"]})
        return seen.how == how and said in (None, seen.said)


STORIES = [Story(row, phase, f"pay_{3 * n + m}") for n, row in enumerate(ROWS) for m, phase in enumerate(PHASES)]
WORLD = """\
name: till
services:
  orders:
    records: { order: { id: str } }
    seed: { order: [{ id: "1" }] }
  till:
    records: { payment: { id: str, order_id: ref[orders.order], amount: float } }
    operations:
      count: { kind: list, record: payment, filter: [order_id] }
""" + "".join(f"      {story.tool}: {{ kind: custom, handler: payment_rules.pay }}\n" for story in STORIES)


@pytest.fixture(scope="module")
def begin_till(tmp_path_factory):
    """Begins a run with the rules of some stories, in real time."""
    begin = beginner(written(tmp_path_factory.mktemp("till"), "till", WORLD, "payment_rules", RULES))

    def make(stories, wait=SHORT):
        return begin(plan={"faults": [story.rule(wait) for story in stories], "wall_cap": wait}, clock="wall")

    return make


def session(run, mode):
    return mcp.Client(stdio_client(run.mcp_stdio), mode=mode)


async def called(client: mcp.Client, tool: str, deadline: float | None = None) -> Seen:
    try:
        return result_of(await client.call_tool(tool, {"order_id": "1"}, deadline))
    except Exception as error:
        return seen_over_mcp(error)


def assert_as_in_the_table(run: Any, stories: list[Story], seen: Mapping[str, Seen]) -> None:
    """What the callers saw, and what the traces of the processes tell."""
    assert run.finish().status == "passed", "each rule has fired"
    wrong = {story: seen[story.tool] for story in stories if not story.is_what_was_expected(seen[story.tool])}
    assert not wrong
    assert len(run.trace.faults()) == len(stories)
    for story in stories:
        (view,) = run.trace.calls_to(story.tool)
        assert (view.fault, view.phase) == (story.row.kind, story.phase)
        assert [effect.late for effect in view.effects] == story.effects, story


def ends_more_than_a_call(row: Row, mode: str) -> bool:
    return row.kind == "server_exit" or (row.kind == "session_lost" and mode == "legacy")


@MODES
def test_a_fault_comes_to_the_same_in_a_process(begin_till, mode):
    stories = [story for story in STORIES if not ends_more_than_a_call(story.row, mode)]

    async def agent(run):
        async with session(run, mode) as client:
            seen = {story.tool: await called(client, story.tool) for story in stories}
            return seen, [tool.name for tool in (await client.list_tools()).tools]

    with begin_till(stories) as run:
        seen, listed = asyncio.run(agent(run))
        assert_as_in_the_table(run, stories, seen)
        removed = {story.tool for story in stories if story.row.kind == "tool_removed"}
        assert {story.tool for story in STORIES} - set(listed) == removed
        assert len(run.mcp_stdio.snapshot()["till.payment"]) == sum(len(story.effects) for story in stories)


@MODES
def test_a_fault_ends_as_much_as_it_should(begin_till, mode):
    """A process for each phase. Where there is a session it is lost first, and opened again; then the server exits."""
    stories = [story for story in STORIES if ends_more_than_a_call(story.row, mode)]
    seen: dict[str, Seen] = {}
    after: list[Seen] = []

    async def agent(run, phase):
        async with session(run, mode) as client:
            for story in stories:
                if story.phase == phase:
                    seen[story.tool] = await called(client, story.tool)
                    after.append(await called(client, "count"))
                    if story.row.kind == "session_lost":
                        await client.session.send_request(HELLO, types.InitializeResult)
                        assert (await called(client, "count")).how == "value"

    with begin_till(stories) as run:
        for phase in PHASES:
            asyncio.run(agent(run, phase))
        assert_as_in_the_table(run, stories, seen)
    assert {each.how for each in after} == {"lost"}


@MODES
def test_a_caller_with_a_deadline_gives_up_and_the_phase_says_what_is_left(begin_till, mode):
    """All at once, so that they give up together."""
    stories = [story for story in STORIES if story.row.waits > 10]

    async def agent(run):
        async with session(run, mode) as client:
            seen = await asyncio.gather(*(called(client, story.tool, DEADLINE) for story in stories))
            return seen, await called(client, "count")

    with begin_till(stories, wait=3600) as run:
        seen, after = asyncio.run(agent(run))
        assert {each.how for each in seen} == {"timeout"}
        assert after.how == "value"
        assert run.finish().status == "passed"
        for story in stories:
            (view,) = run.trace.calls_to(story.tool)
            assert (view.fault, view.phase, view.ok) == (story.row.kind, story.phase, False)
            assert [effect.late for effect in view.effects] == ([] if story.phase == "before" else story.effects)
        told = [event.told for _, event in run.trace if isinstance(event, Abandoned)]
        assert told == [True] * len(stories)
