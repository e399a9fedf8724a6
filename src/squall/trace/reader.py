"""Reads recorded lines back and answers questions about a run. Judges nothing and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from squall.documents.nearby import near
from squall.errors import Position, Problem, UsageError, nearest
from squall.trace.kinds import (
    AgentFinal,
    AnyEvent,
    Attempt,
    AttemptEnd,
    Effected,
    Event,
    Faulted,
    Landed,
    Mark,
    ModelReply,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)
from squall.trace.line import Envelope, envelope_of, event_of
from squall.trace.model_calls import ModelCallView, joined
from squall.trace.recorder import Recorder

FIRST_ERROR = 400  # of HTTP's status codes
ADDED = "faults"  # the mark of rules that a run was given while it went on
LONGEST_LINE = 30  # parts of a run's line; a run of a thousand calls must not fill the screen


class Entry(NamedTuple):
    """One line of a trace: where it stands, and what it says."""

    envelope: Envelope
    event: AnyEvent


class CallView(NamedTuple):
    """A tool call joined with what came of it. `ts` is in virtual seconds, `latency_ms` in virtual milliseconds.

    `ok` is None, and so are `result` and `error`, while no result has been recorded.
    """

    run: str
    seq: int
    ts: float
    tool: str
    args: Any
    fault: str | None
    phase: str | None
    latency_ms: float
    ok: bool | None
    result: Any
    error: str | None
    world_rev: int
    effects: tuple[Effected, ...]
    landed: str | None = None

    @property
    def label(self) -> str:
        """`get_order`; `get_order✗` where the caller got an error; `issue_refund!timeout(after)` where a fault fired.

        A late effect that was refused when it landed says so: `issue_refund!timeout(late: refused)`.
        """
        if self.fault is None:
            return f"{self.tool}✗" if self.ok is False else self.tool
        lost = f": {self.landed}" if self.landed not in {None, "value"} else ""
        return f"{self.tool}!{self.fault}({self.phase}{lost})"


class Trace:
    """The ordered events of one run, live while it goes on or read from a file."""

    def __init__(self, lines: Sequence[bytes], recorder: Recorder | None = None, *, name: str = "trace") -> None:
        self._lines = lines
        self._recorder = recorder
        self._name = name
        self._entries: list[Entry] = []

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read a file without verifying it (`squall.trace.verify` does that)."""
        try:
            return cls(Path(path).read_bytes().splitlines(), name=str(path))
        except OSError as error:
            message = f"cannot read the trace {str(path)!r}: {error.strerror}"
            hint = "Name a file that Trace.write or --squall-traces wrote."
            raise UsageError(Problem(message, nearest=near(path), hint=hint)) from None

    @property
    def lines(self) -> Sequence[bytes]:
        """The lines so far, as they are written."""
        return self._lines if self._recorder is None else self._recorder.lines

    def mark(self, name: str, **data: Any) -> None:
        """Record a named moment."""
        self._record(Mark(name=name, data=data))

    def final(self, answer: Any) -> None:
        """Record what the agent said at last."""
        self._record(AgentFinal(answer=answer))

    def _record(self, event: Event) -> None:
        if self._recorder is None:
            raise UsageError("this trace is not being recorded: it was read from a file, or recording is off")
        self._recorder.record(event)

    def entries(self) -> list[Entry]:
        """All events so far with their envelopes, in order."""
        for line in self.lines[len(self._entries) :]:
            try:
                self._entries.append(Entry(envelope_of(line), event_of(line)))
            except (msgspec.DecodeError, RecursionError) as error:
                at = Position(self._name, len(self._entries) + 1)
                raise UsageError(Problem(f"this is not an event of trace format 1: {error}", at)) from None
        return self._entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def start(self) -> RunStart:
        """The first event. Raises `LookupError` where there is none."""
        first = self.entries()[0].event if self.lines else None
        if not isinstance(first, RunStart):
            raise LookupError("this trace does not begin with run_start")
        return first

    @property
    def status(self) -> str | None:
        """The run's status, None while it goes on."""
        last = self.entries()[-1].event if self.lines else None
        return last.status if isinstance(last, RunEnd) else None

    def calls(self) -> list[CallView]:
        """One joined view per tool call, in order of arrival."""
        entries = self.entries()
        results: dict[int, ToolResult] = {}
        faults: dict[int, Faulted] = {}
        landed: dict[int, str] = {}
        effects: dict[int, list[Effected]] = {}
        for _, event in entries:
            if isinstance(event, ToolResult):
                results[event.call] = event
            elif isinstance(event, Faulted) and event.fired:
                faults[event.call] = event
            elif isinstance(event, Landed):
                landed[event.call] = event.form
            elif isinstance(event, Effected) and event.call is not None:
                effects.setdefault(event.call, []).append(event)
        views = []
        for envelope, event in entries:
            if isinstance(event, ToolCall):
                fault, result = faults.get(event.call), results.get(event.call)
                views.append(
                    CallView(
                        run=envelope.run,
                        seq=envelope.seq,
                        ts=envelope.t,
                        tool=event.tool,
                        args=event.args,
                        fault=fault.fault if fault else None,
                        phase=fault.phase if fault else None,
                        latency_ms=result.latency_ms if result else 0.0,
                        ok=result.ok if result else None,
                        result=result.result if result else None,
                        error=result.error if result else None,
                        world_rev=result.world_rev if result else 0,
                        effects=tuple(effects.get(event.call, ())),
                        landed=landed.get(event.call),
                    )
                )
        return views

    def model_calls(self) -> list[ModelCallView]:
        """One joined view per call of a model, an SDK's own retries among its attempts, in order of arrival."""
        return joined(self.entries())

    def calls_to(self, tool: str) -> list[CallView]:
        """The calls to one tool; empty when it was never called. Raises `LookupError` where there is no such tool."""
        self._check(tool)
        return [view for view in self.calls() if view.tool == tool]

    def count(self, tool: str) -> int:
        """How often a tool was called, whatever came of it. Raises `LookupError` where there is no such tool."""
        self._check(tool)
        return sum(isinstance(e.event, ToolCall) and e.event.tool == tool for e in self.entries())

    def _check(self, tool: str) -> None:
        """A misspelt name must not count as never called."""
        start = next((e.event for e in self.entries() if isinstance(e.event, RunStart)), None)
        called = {e.event.tool for e in self.entries() if isinstance(e.event, ToolCall)}
        if start is not None and start.tools and tool not in start.tools and tool not in called:
            close = nearest(tool, start.tools)
            hint = f"did you mean {close!r}?" if close else f"there are {', '.join(start.tools)}"
            raise LookupError(f"there is no tool {tool!r} in this run; {hint}")

    def faults(self, *, fired: bool = True) -> list[Faulted]:
        """The faults that really happened; with `fired=False` also those that were only reached."""
        return [e.event for e in self.entries() if isinstance(e.event, Faulted) and (e.event.fired or not fired)]

    def failures(self) -> list[CallView]:
        """The calls whose caller got an error, or no reply."""
        return [view for view in self.calls() if view.ok is False]

    def effects(self) -> list[Effected]:
        """Every committed change of the world since the run began."""
        return [e.event for e in self.entries() if isinstance(e.event, Effected)]

    def finals(self) -> list[AgentFinal]:
        """How agents ended: one entry for each that was recorded."""
        return [e.event for e in self.entries() if isinstance(e.event, AgentFinal)]

    def not_fired(self) -> list[dict[str, Any]]:
        """The counting rules of the plan that have not fired, as they stand in `run_start` or were added."""
        entries = self.entries()
        if not entries or not isinstance(entries[0].event, RunStart):
            return []
        fired = {fault.rule for fault in self.faults()}
        added = [e.event.data["plan"] for e in entries if isinstance(e.event, Mark) and e.event.name == ADDED]
        return [
            rule
            for place, rule in enumerate(chain(entries[0].event.plan, *added))
            if any(rule.get(key) is not None for key in ("nth", "times", "first", "every")) and place not in fired
        ]

    def line(self) -> str:
        """The run in one line for people: `get_order → issue_refund!timeout(after) → issue_refund`.

        Of the requests to models it has those that went wrong, `model.chat!clean_eof`; all where no tool was called.
        """
        views = self.calls()
        folded = [(label, len(list(same))) for label, same in groupby(self._labels(views))]
        parts = [label if times == 1 else f"{label} ×{times}" for label, times in folded]
        if len(parts) > LONGEST_LINE:
            head = LONGEST_LINE * 2 // 3
            parts[head : head - LONGEST_LINE] = [f"({len(parts) - LONGEST_LINE} more)"]
        return " → ".join(parts) or "(no tool call)"

    def _labels(self, views: list[CallView]) -> Iterator[str]:
        called, told = iter(views), self._told()
        for _, event in self.entries():
            if isinstance(event, ToolCall):
                yield next(called).label
            elif isinstance(event, Attempt):
                wrong = told.get((event.call, event.attempt), "")
                if wrong or not views:
                    yield f"{event.target}{wrong}"

    def _told(self) -> dict[tuple[int, int], str]:
        """What went wrong with requests to models, as lines say it, by call and attempt: `!http_503`, or `✗`."""
        latest: dict[int, int] = {}
        faults: dict[tuple[int, int], str] = {}
        told = {}
        for _, event in self.entries():
            if isinstance(event, Attempt):
                latest[event.call] = event.attempt
            elif isinstance(event, Faulted) and event.fired and event.call in latest:
                at = event.call, latest[event.call]
                faults[at] = f"{faults[at]}+{event.fault}" if at in faults else f"!{event.fault}"
            elif isinstance(event, ModelReply):
                at = event.call, event.attempt
                named = "+".join(dict.fromkeys(each["fault"] for each in event.faults))
                told[at] = f"!{named}" if named else "" if event.ok else "✗"
            elif isinstance(event, AttemptEnd):
                fine = event.error is None and (event.status or 0) < FIRST_ERROR
                told[event.call, event.attempt] = "" if fine else "✗"
        vague = {at: what for at, what in told.items() if not what.startswith("!")}
        return vague | faults | {at: what for at, what in told.items() if at not in vague}

    def find(self, tool: str) -> CallView:
        """The only call to `tool`. Raises `LookupError` that says how many there were, or the nearest name."""
        found = self.calls_to(tool)
        if len(found) == 1:
            return found[0]
        close = nearest(tool, {view.tool for view in self.calls()})
        hint = f"; did you mean {close!r}?" if close and not found else ""
        raise LookupError(f"{tool!r} was called {len(found)} times in this run{hint}")

    def write(self, path: str | Path) -> None:
        """Write the lines to `path`, which `squall verify` and `Trace.load` read."""
        Path(path).write_bytes(b"".join(line + b"\n" for line in self.lines))
