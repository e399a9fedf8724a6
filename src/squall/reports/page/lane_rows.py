"""A run's trace as the rows of a picture: who turned to whom, when, and what was wrong with it. Draws nothing.

What repeats is folded, and of a long run what has neither fault nor effect nor error: the rest fits a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Literal, NamedTuple

from squall.reports.lines import fit
from squall.reports.visible import payload, visible
from squall.reports.wording import counted, seconds
from squall.trace import Trace
from squall.trace.kinds import (
    Abandoned,
    AgentFinal,
    AnyEvent,
    Attempt,
    AttemptEnd,
    CaptureIncomplete,
    Delivery,
    Effected,
    Faulted,
    Landed,
    Mark,
    ModelReply,
    RunEnd,
    ToolCall,
    ToolResult,
)

Lane = Literal["agent", "model", "tools", "world"]
Kind = Literal["ask", "reply", "error", "fault", "effect", "again", "late", "note", "end", "fold"]
LONGEST = 40
LONGEST_CONTENT = 2000
STEPS = "steps"
"""The table of scenarios that are made of steps: a row for each write that happened."""
MOST = 60
"""Rows that one picture has; a longer run is folded."""
HEAD, TAIL = 34, 22
ALIKE = 3
"""So many equal exchanges in a row are told once."""
FIRST_ERROR = 400
BESIDE = ("memory.", "asks.")
"""Targets beside the calls of a scenario's steps: what happens there happens to the agent."""
PAST = {"insert": "inserted", "update": "updated", "delete": "deleted"}
PHASES = {"before": "before the effect", "after": "after the effect", "late": "the effect lands late"}
LEFT = {"done": "it is done", "running": "it goes on", "late": "it is yet to land", "not_run": "nothing happens"}
TROUBLE = frozenset({"error", "fault", "effect", "again", "late", "note", "end"})


class Row(NamedTuple):
    """At `t` virtual seconds `lane` turns to `to` (None: it stays with itself). `call` is which call it belongs to."""

    t: float
    kind: Kind
    lane: Lane
    to: Lane | None
    text: str
    call: int | None = None


def rows_of(trace: Trace, most: int = MOST) -> list[Row]:
    """The rows of one run, in order of time."""
    rows = list(_rows(trace))
    if len(rows) > most:
        rows = list(_without_repeats(rows))
    if len(rows) > most:
        rows = list(_without_calm(rows))
    if len(rows) > most:
        left_out = len(rows) - HEAD - TAIL
        fold = Row(rows[HEAD].t, "fold", "agent", None, f"{counted(left_out, 'row')} left out")
        rows = [*rows[:HEAD], fold, *rows[-TAIL:]]
    return rows


def _rows(trace: Trace) -> Iterator[Row]:
    entries = trace.entries()
    replied = {(each.event.call, each.event.attempt) for each in entries if isinstance(each.event, ModelReply)}
    models: set[int] = set()
    made: dict[str, Any] = {}
    for envelope, event in entries:
        if isinstance(event, Attempt):
            models.add(event.call)
        if isinstance(event, AttemptEnd) and (event.call, event.attempt) in replied:
            continue  # told by who answered it
        row = _row(envelope.t, event, models, made)
        if row is not None:
            yield row


def _row(t: float, event: AnyEvent, models: set[int], made: dict[str, Any]) -> Row | None:
    if isinstance(event, ToolCall):
        return Row(t, "ask", "agent", "tools", _called(event.tool, event.args), event.call)
    if isinstance(event, ToolResult):
        return _result(t, event)
    if isinstance(event, Attempt):
        again = f", attempt {event.attempt}" if event.attempt > 1 else ""
        return Row(t, "ask", "agent", "model", f"{visible(event.target, LONGEST)}{again}", event.call)
    if isinstance(event, ModelReply):
        return _reply(t, event)
    if isinstance(event, AttemptEnd):
        wrong = event.error is not None or (event.status or 0) >= FIRST_ERROR
        words = _short(event.error) if event.error else f"status {event.status}"
        return Row(t, "error" if wrong else "reply", "model", "agent", words, event.call)
    if isinstance(event, Faulted):
        if not event.fired:
            return None
        beside = not event.call and event.target.startswith(BESIDE)
        lane: Lane = "model" if event.call in models else "agent" if beside else "tools"
        phase = PHASES.get(event.phase, event.phase) if lane == "tools" else ""
        return Row(t, "fault", lane, None, ", ".join(filter(None, (event.fault, phase))), event.call)
    if isinstance(event, Effected):
        return _effect(t, event, made)
    return _other(t, event)


def _other(t: float, event: AnyEvent) -> Row | None:
    if isinstance(event, Landed):
        words = "the late effect is there" if event.form == "value" else f"the late effect was {event.form}"
        return Row(t, "late", "world", None, words, event.call)
    if isinstance(event, Abandoned):
        return Row(
            t,
            "error",
            "agent",
            None,
            f"gives up waiting; {LEFT.get(event.operation, event.operation)}",
            event.call,
        )
    if isinstance(event, Delivery):
        return Row(t, "note", "world", "agent", f"event {visible(event.event, LONGEST)}", event.call)
    if isinstance(event, Mark):
        return Row(t, "note", "agent", None, _short(event.name))
    if isinstance(event, CaptureIncomplete):
        return Row(t, "note", "agent", None, f"not all was seen: {_short(event.why)}")
    if isinstance(event, AgentFinal):
        if event.error is not None:
            return Row(t, "error", "agent", None, f"raises {_short(event.error)}")
        return Row(t, "note", "agent", None, f"answers: {_short(event.answer)}")
    if isinstance(event, RunEnd):
        return Row(t, "end", "agent", None, f"the run ends: {event.status.replace('_', ' ')}")
    return None


def _called(name: str, arguments: Any) -> str:
    if not isinstance(arguments, Mapping) or not arguments:
        return visible(name, LONGEST)
    given = ", ".join(f"{key}={payload(value, LONGEST)}" for key, value in arguments.items())
    return fit(f"{name}({given})", LONGEST)


def _result(t: float, event: ToolResult) -> Row:
    if event.ok:
        return Row(t, "reply", "tools", "agent", _short(event.result), event.call)
    return Row(t, "error", "tools", "agent", _short(event.error or event.form), event.call)


def _reply(t: float, event: ModelReply) -> Row:
    if not event.ok or not event.complete:
        status = f"{event.status} " if (event.status or 0) >= FIRST_ERROR else ""
        words = event.error or ("no answer" if event.status is None else "not the whole answer")
        return Row(t, "error", "model", "agent", _short(f"{status}{words}"), event.call)
    wanted = ", ".join(str(each.get("name", "?")) for each in event.calls)
    words = f"asks for {visible(wanted, LONGEST)}" if wanted else _short(event.text or "")
    return Row(t, "reply", "model", "agent", words or "an empty answer", event.call)


def _effect(t: float, event: Effected, made: dict[str, Any]) -> Row:
    if event.op == "insert" and isinstance(event.after, Mapping):
        content = payload({key: value for key, value in event.after.items() if key != "id"}, LONGEST_CONTENT)
        first = made.setdefault(f"{event.table} {content}", event.id)
        if first != event.id:
            like = " again" if event.table == STEPS else f", the same as {payload(first, 12)}"
            return Row(t, "again", "world", None, f"{_happened(event)}{like}", event.call)
    return Row(t, "late" if event.late else "effect", "world", None, _happened(event), event.call)


def _happened(event: Effected) -> str:
    if event.table == STEPS and isinstance(event.after, Mapping):
        return f"{payload(event.after.get('tool'), 24)} happens"
    table = event.table.rpartition(".")[2]
    return f"{visible(table, 24)} {payload(event.id, 12)} {PAST.get(event.op, event.op)}"


def _short(value: Any) -> str:
    return fit(payload(value, 2 * LONGEST), LONGEST)


def _exchanges(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows of one call that stand together."""
    for _, together in groupby(rows, key=lambda row: row.call):
        yield list(together)


def _without_repeats(rows: Iterable[Row]) -> Iterator[Row]:
    for _, alike in groupby(_exchanges(rows), key=lambda rows: [(row.kind, row.lane, row.text) for row in rows]):
        exchanges = list(alike)
        if len(exchanges) < ALIKE:
            yield from (row for exchange in exchanges for row in exchange)
            continue
        yield from exchanges[0]
        last = exchanges[-1][-1]
        times = counted(len(exchanges) - 1, "more time")
        yield Row(last.t, "fold", "agent", None, f"the same {times}, until {seconds(last.t)}")


def _without_calm(rows: Iterable[Row]) -> Iterator[Row]:
    for is_calm, exchanges in groupby(_exchanges(rows), key=_is_calm):
        calm = list(exchanges)
        if not is_calm or len(calm) < ALIKE:
            yield from (row for exchange in calm for row in exchange)
            continue
        yield Row(calm[-1][-1].t, "fold", "agent", None, f"{counted(len(calm), 'call')} in which nothing went wrong")


def _is_calm(exchange: list[Row]) -> bool:
    return not any(row.kind in TROUBLE or row.kind == "fold" for row in exchange)
