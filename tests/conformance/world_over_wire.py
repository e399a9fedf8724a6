"""What a world comes to over any wire: checks that take a maker of a client.

A maker is called with a run and gives an async context manager of a `Client`, which makes calls and tells what it saw
in the words of `fault_over_wire.Seen`. Each check plays a story and raises an AssertionError where its outcome is not
what plain callables come to. `CHECKS` lists them all; how a third party's wire runs them:
`for check in CHECKS: check(begin, make)`, with a `begin` as in this folder's `conftest`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import mcp

from tests.conformance.fault_over_wire import Seen, result_of, seen_in_python, seen_over_mcp


class Client(Protocol):
    """Somebody at the far end of a wire."""

    async def call(self, tool: str, args: Mapping[str, Any]) -> Seen:
        """Make a call, and tell what came of it."""
        ...

    async def tools(self) -> list[str]:
        """The names of the tools that there are."""
        ...


Make = Callable[[Any], AbstractAsyncContextManager[Client]]
Begin = Callable[..., Any]
OWN = {"abandoned"}  # events of the transport's own: callables are not cancelled by messages


class _ByCallables:
    def __init__(self, run: Any) -> None:
        self._run = run

    async def call(self, tool: str, args: Mapping[str, Any]) -> Seen:
        try:
            return Seen("value", await self._run.tools.aio[tool](**args))
        except AttributeError:
            return Seen("gone", f"Unknown tool: {tool}")
        except BaseException as error:
            return seen_in_python(error)

    async def tools(self) -> list[str]:
        return [tool.__name__ for tool in self._run.tools]


class _ByMcp:
    def __init__(self, client: mcp.Client) -> None:
        self._client = client

    async def call(self, tool: str, args: Mapping[str, Any]) -> Seen:
        try:
            return result_of(await self._client.call_tool(tool, dict(args)))
        except Exception as error:
            return seen_over_mcp(error)

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self._client.list_tools(cache_mode="bypass")).tools]


@asynccontextmanager
async def by_callables(run: Any) -> AsyncIterator[Client]:
    """`await tools.aio.NAME(...)`: what the others are compared with."""
    yield _ByCallables(run)


def by_mcp(where: str, mode: str) -> Make:
    """The official client before `run.mcp_server` or `run.mcp_url`."""

    @asynccontextmanager
    async def make(run: Any) -> AsyncIterator[Client]:
        async with mcp.Client(getattr(run, where), mode=mode) as client:
            yield _ByMcp(client)

    return make


@asynccontextmanager
async def by_stdio(run: Any) -> AsyncIterator[Client]:
    """The official client before a process, whose events are the run's once it has ended."""
    from mcp.client.stdio import stdio_client

    async with mcp.Client(stdio_client(run.mcp_stdio)) as client:
        yield _ByMcp(client)


PAY = ("pay", {"order_id": "1"})
STORY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_order", {"id": "1"}),
    ("list_orders", {}),
    ("list_orders", {"status": "paid"}),
    PAY,
    ("pay", {"order_id": "1", "amount": 2.5}),
    ("pay", {"order_id": "99"}),
    ("pay", {}),
    ("update_order", {"id": "1", "status": "returned", "tags": ["ä", "🐈"]}),
    ("update_order", {"id": "1", "status": "lost"}),
    ("list_payments", {"order_id": "1"}),
    ("get_order", {"id": "1"}),
)
WEATHER: tuple[dict[str, Any], ...] = (
    {"target": "payments.pay", "kind": "connection_lost", "nth": 1},
    {"target": "payments.pay", "kind": "http_503", "nth": 2, "phase": "after"},
    {"target": "orders.get_order", "kind": "missing_field", "nth": 1, "field": "total"},
    {"target": "orders.list_orders", "kind": "empty_result", "nth": 1},
    {"target": "orders.list_orders", "kind": "truncated_result", "nth": 2},
    {"target": "orders.update_order", "kind": "wrong_value", "nth": 1, "field": "total"},
    {"target": "payments.list_payments", "kind": "stale_read", "nth": 1, "writes": 2},
)
SLOWLY = ("pay_slowly", {"order_id": "1"})


class Played:
    """What a story came to: what was seen, the rows, the effects, and the trace without times and call durations."""

    def __init__(self, run: Any, seen: list[Any], snapshot: Any) -> None:
        self.seen = seen
        self.snapshot = snapshot
        self.status = run.result.status
        self.events = [_plain(event) for _, event in run.trace if event.__struct_config__.tag not in OWN][1:-1]


def _plain(event: Any) -> tuple[str, dict[str, Any]]:
    fields = {name: getattr(event, name) for name in event.__struct_fields__ if name not in {"latency_ms", "detail"}}
    return event.__struct_config__.tag, fields


def played(begin: Begin, make: Make, story: Any, *rules: Any, **options: Any) -> Played:
    """Play `story(client)` in a run."""

    async def main(run: Any) -> list[Any]:
        async with make(run) as client:
            seen: list[Any] = await story(client)
            return seen

    with begin(*rules, **options) as run:
        seen = asyncio.run(main(run))
        run.finish()
        elsewhere = "mcp_stdio" in vars(run)
        snapshot = run.mcp_stdio.snapshot() if elsewhere else run.world.snapshot()
    return Played(run, seen, snapshot)


async def whole_story(client: Client) -> list[Any]:
    """Every kind of operation, refusals included."""
    return [await client.tools(), *[await client.call(tool, args) for tool, args in STORY], await client.tools()]


def same(begin: Begin, make: Make, *rules: Any, **options: Any) -> Played:
    """Play the whole story over the wire and by callables: all must be the same."""
    expected = played(begin, by_callables, whole_story, *rules, **options)
    found = played(begin, make, whole_story, *rules, **options)
    for mine, theirs in zip(found.seen, expected.seen, strict=True):
        assert mine == theirs, f"the caller saw {mine}, and by callables {theirs}"
    assert found.snapshot == expected.snapshot, "the worlds end in different states"
    assert found.events == expected.events, "the traces differ"
    assert found.status == expected.status, "the runs have different statuses"
    return found


def check_a_calm_world_answers_alike(begin: Begin, make: Make) -> None:
    found = same(begin, make)
    assert [seen.how for seen in found.seen[1:-1]].count("value") == 8, "the story has both answers and refusals"


def check_counted_faults_strike_alike(begin: Begin, make: Make) -> None:
    found = same(begin, make, *WEATHER)
    fired = [fields["fault"] for kind, fields in found.events if kind == "fault" and fields["fired"]]
    assert sorted(fired) == sorted(rule["kind"] for rule in WEATHER), "each of the faults strikes once"


def check_drawn_faults_strike_alike(begin: Begin, make: Make) -> None:
    chance = {"errors": {"http_500": 0.3, "connection_lost": 0.2, "not_found": 0.1}}
    fired = 0
    for index in range(2):
        found = same(begin, make, plan={"default": chance}, seed=5, run_index=index)
        fired += sum(kind == "fault" and fields["fired"] for kind, fields in found.events)
    assert fired > 3, "with these chances some must strike"


def check_a_removed_tool_is_gone_alike(begin: Begin, make: Make) -> None:
    found = same(begin, make, {"target": "payments.pay", "kind": "tool_removed", "nth": 1})
    assert set(found.seen[0]) - set(found.seen[-1]) == {"pay"}


def check_limits_of_the_rate_hold_alike(begin: Begin, make: Make) -> None:
    rule = {"target": "payments.pay", "kind": "rate_limit", "calls": 1, "per_seconds": 3600}

    async def story(client: Client) -> list[Any]:
        return [(await client.call(*PAY)).how for _ in range(3)]

    assert played(begin, make, story, rule).seen == ["value", "refused", "refused"]


def check_an_operation_that_takes_its_time_lands_alike(begin: Begin, make: Make) -> None:
    async def story(client: Client) -> list[Any]:
        return [await client.call(*SLOWLY), await client.call(*SLOWLY), await client.call("list_payments", {})]

    for phase in ("before", "after", "late"):
        rule = {"target": "payments.pay_slowly", "kind": "is_error", "nth": 1, "phase": phase}
        rule |= {"late_by": 60} if phase == "late" else {}
        found, expected = (played(begin, each, story, rule) for each in (make, by_callables))
        assert found.seen == expected.seen
        assert found.snapshot == expected.snapshot
        assert found.events == expected.events


def check_calls_at_once_are_each_answered_and_each_have_their_effect(begin: Begin, make: Make) -> None:
    async def story(client: Client) -> list[Any]:
        calls = (client.call("pay", {"order_id": "1", "amount": float(number)}) for number in range(1, 31))
        return list(await asyncio.gather(*calls))

    found = played(begin, make, story)
    assert [seen.said["amount"] for seen in found.seen] == [float(number) for number in range(1, 31)]
    effects = [fields for kind, fields in found.events if kind == "effect"]
    assert sorted(effect["after"]["amount"] for effect in effects) == [float(number) for number in range(1, 31)]
    assert sorted(effect["call"] for effect in effects) == list(range(1, 31))


CHECKS: tuple[Callable[[Begin, Make], None], ...] = tuple(
    value for name, value in sorted(globals().items()) if name.startswith("check_")
)
