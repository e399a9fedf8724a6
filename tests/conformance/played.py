"""A story, played over some wire: all that came of it, and what of that may differ from one wire to another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from squall.call import LISTING
from tests.conformance.clients import Client, Make, by_callables

Begin = Callable[..., Any]
Story = Callable[[Client], Awaitable[list[Any]]]

# What in a trace is the transport's own, as (kind of event, field), with the reason.
OWN = {
    ("abandoned", "told"): "a caller in Python has no way to say that it waits no more",
    ("run_end", "count"): "it counts the transport's own events too; that it is right is looked at by itself",
}
# What differs in addition where time is real.
MOMENTS = {
    ("every event", "t"): "no two runs take the same time",
    ("tool_result", "latency_ms"): "as above",
    ("delivery", "emitted"): "as above",
}
# And what differs in the first event of a server's own trace, where the server is a process.
SERVED = {("run_start", "limits"): "a server goes on until somebody ends it, if its plan states no limit"}


class Told(NamedTuple):
    """One event, without what is the transport's own. `t` is None where time is real."""

    t: float | None
    kind: str
    fields: dict[str, Any]


class Played(NamedTuple):
    """What a story came to: what was seen, the rows, the whole trace, and what the run says of itself.

    `served` is the trace of the server's process, where it had one.
    """

    seen: list[Any]
    snapshot: Any
    events: list[Told]
    told: tuple[Any, ...]
    served: list[Told]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The fields of all events of one kind."""
        return [event.fields for event in self.events if event.kind == kind]

    def fired(self) -> list[str]:
        """The faults that have happened, in order."""
        return [fields["fault"] for fields in self.of("fault") if fields["fired"]]


def played(begin: Begin, make: Make, story: Story, *rules: Any, **options: Any) -> Played:
    """Play a story in a run."""
    with begin(*rules, **options) as run:
        return played_in(run, make, story)


def played_in(run: Any, make: Make, story: Story) -> Played:
    """Play a story in a run that has begun, and end it."""

    async def main() -> list[Any]:
        async with make(run) as client:
            return await story(client)

    seen = asyncio.run(main())
    result = run.finish()
    virtual = run.clock.mode == "virtual"
    assert result.fired == len(run.trace.faults()), "the run counts the faults that its trace has"
    told = (result.status, result.line, [repr(error) for error in result.errors])
    (served,) = [events_of(trace, virtual=False) for trace in run.mcp_stdio.traces()] if _elsewhere(run) else [[]]
    return Played(seen, state(run), events_of(run.trace, virtual=virtual), told, served)


def _elsewhere(run: Any) -> bool:
    """Whether the run's server is a process."""
    return "mcp_stdio" in vars(run)


def state(run: Any) -> Any:
    """All rows as they are now, wherever the world is."""
    return (run.mcp_stdio if _elsewhere(run) else run.world).snapshot()


def so_far(run: Any, kind: str) -> int:
    """How many events of a kind there are by now, wherever the world is."""
    traces = run.mcp_stdio.traces() if _elsewhere(run) else [run.trace]
    return sum(event.__struct_config__.tag == kind for trace in traces for _, event in trace)


def events_of(trace: Any, *, virtual: bool) -> list[Told]:
    """All events of a trace but the transport's own, without the fields that are the transport's own."""
    assert [envelope.seq for envelope, _ in trace] == list(range(1, len(trace) + 1))
    left_out = OWN if virtual else {**OWN, **MOMENTS}
    events = []
    for envelope, event in trace:
        kind = event.__struct_config__.tag
        fields = {name: getattr(event, name) for name in event.__struct_fields__ if (kind, name) not in left_out}
        if kind == "run_end":
            assert event.count == len(trace), "the last event says how many there are"
        if kind == "fault" and fields["target"] == LISTING.name:
            continue  # callables are not listed: a fault of the list is about the transport
        events.append(Told(envelope.t if virtual else None, kind, {"run": envelope.run, **fields}))
    return events


def same(begin: Begin, make: Make, story: Story, *rules: Any, **options: Any) -> Played:
    """Play a story over the wire and by callables: all must be the same."""
    expected = played(begin, by_callables, story, *rules, **options)
    found = played(begin, make, story, *rules, **options)
    assert_same(found, expected)
    return found


def assert_same(found: Played, expected: Played) -> None:
    """Raise an AssertionError with the first thing that is not the same."""
    for mine, theirs in zip(found.seen, expected.seen, strict=True):
        assert mine == theirs, f"the caller saw {mine}, and by callables {theirs}"
    assert found.snapshot == expected.snapshot, "the worlds end in different states"
    _assert_same_traces(found.events, expected.events)
    assert found.told == expected.told, f"the run says {found.told}, and by callables {expected.told}"
    if found.served:
        _assert_same_traces(_without(found.served, SERVED), _without(expected.events, SERVED))


def _without(events: list[Told], left_out: Any) -> list[Told]:
    def kept(event: Told) -> dict[str, Any]:
        return {name: value for name, value in event.fields.items() if (event.kind, name) not in left_out}

    return [event._replace(fields=kept(event)) for event in events]


def _assert_same_traces(found: list[Told], expected: list[Told]) -> None:
    for mine, theirs in zip(found, expected, strict=False):
        assert mine == theirs, f"the trace has {mine}, and by callables {theirs}"
    more = found[len(expected) :] or expected[len(found) :]
    assert not more, f"one of the traces goes on: {more[0]}"
