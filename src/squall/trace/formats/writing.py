"""A run that was found in a file becomes the events of a trace, in order of time.

A call begins and ends; what is called in between stands in between. Calls are numbered over both wires in the order in
which they begin, as in a run that squall has seen itself.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from typing import Any

from squall.trace.formats.steps import Asked, Imported, Left, Step, Used
from squall.trace.kinds import (
    AgentFinal,
    CaptureIncomplete,
    Event,
    Mark,
    ModelCall,
    ModelReply,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)
from squall.trace.reader import Trace
from squall.trace.recorder import Recorder
from squall.version import __version__

IMPORTED, LEFT = "imported", "left"
"""Marks: where a run comes from (`format`, `id`, `user`), and messages after its last request to a model."""
UNSAID = "unknown"
"""The access of tools of which nobody says whether they change something."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = 253_402_300_799  # seconds: the end of the year 9999


def trace_of(found: Imported, *, name: str, index: int) -> Trace:
    """The trace of a run. `name` is the file's, `index` counts the runs found in it from 0."""
    return _Writing(found, name, index).written()


def user_of(trace: Trace) -> str | None:
    """Whom a run was for, where its file says so."""
    marks = (event for _, event in trace if isinstance(event, Mark) and event.name == IMPORTED)
    user = next((mark.data.get("user") for mark in marks), None)
    return user if isinstance(user, str) else None


class _Writing:
    def __init__(self, found: Imported, name: str, index: int) -> None:
        self._found = found
        self._index = index
        self._now = 0
        self._run = found.id or f"{name}#{index}"
        self._recorder = Recorder(self._run, self._seconds)
        self._calls: dict[int, int] = {}  # by the place of the step
        self._counts: Counter[str] = Counter()
        began = [step.began for step in found.steps if not isinstance(step, Left) and step.began is not None]
        self._zero = min(began, default=0)

    def _seconds(self) -> float:
        return self._now / 1_000_000_000

    def written(self) -> Trace:
        found = self._found
        start = EPOCH + timedelta(seconds=max(0, min(self._zero // 1_000_000_000, LATEST)))
        self._record(
            RunStart(
                squall=__version__,
                seed=0,
                run_index=self._index,
                clock="wall",
                start=start.strftime("%Y-%m-%dT%H:%M:%SZ"),
            )
        )
        about = {"format": found.format, "id": found.id or None, "user": found.user}
        self._record(Mark(name=IMPORTED, data={key: value for key, value in about.items() if value is not None}))
        if found.missing is not None:
            self._record(CaptureIncomplete(why=found.missing))
        self._steps()
        if found.answer is not None or found.error is not None:
            self._record(AgentFinal(answer=found.answer, error=found.error))
        status = "crashed" if found.error is not None else "passed"
        self._recorder.end(lambda count: RunEnd(status=status, count=count))
        return Trace(self._recorder.lines, name=self._run)

    def _record(self, event: Event) -> None:
        self._recorder.record(event)

    def _steps(self) -> None:
        """Begin each step when it began; before that, end those that have ended."""
        open_: list[tuple[int, int, Step]] = []
        steps = self._found.steps
        for place, step in enumerate(steps):
            if isinstance(step, Left):
                self._end(open_, None)
                self._record(Mark(name=LEFT, data={"messages": step.messages}))
                continue
            began = self._now if step.began is None else step.began - self._zero
            self._end(open_, began)
            self._now = max(self._now, began)
            self._begin(place, step)
            ended = began if step.ended is None else step.ended - self._zero
            heappush(open_, (max(ended, began), place, step))
            if step.ended is None:
                self._end(open_, began)
        self._end(open_, None)

    def _end(self, open_: list[tuple[int, int, Step]], until: int | None) -> None:
        while open_ and (until is None or open_[0][0] <= until):
            ended, place, step = heappop(open_)
            self._now = max(self._now, ended)
            if isinstance(step, Asked):
                self._replied(self._calls[place], step)
            elif isinstance(step, Used) and step.answered:
                self._record(_result(self._calls[place], step))

    def _begin(self, place: int, step: Asked | Used) -> None:
        number = self._calls[place] = len(self._calls) + 1
        if isinstance(step, Asked):
            self._record(self._asked(number, step))
            return
        self._counts[step.tool] += 1
        self._record(
            ToolCall(
                call=number,
                tool=step.tool,
                target=step.tool,
                access=UNSAID,
                args=step.args,
                digest="",
                nth=self._counts[step.tool],
            )
        )

    def _asked(self, number: int, step: Asked) -> ModelCall:
        continues: int | None = None
        messages: Any = step.messages
        tools: Any = step.tools
        if step.after is not None:
            continues = self._calls[step.after]
        elif step.messages:
            field = "input" if step.target == "model.responses" else "messages"
            body = {field: step.messages, "tools": step.tools}
            taken = self._recorder.conversations.take(number, step.target, body)
            continues, messages = taken.continues, taken.messages
            tools = None if step.tools is None else taken.tools
        return ModelCall(
            call=number,
            target=step.target,
            model=step.model,
            stream=step.stream,
            continues=continues,
            messages=messages,
            tools=tools,
            asked=step.asked,
        )

    def _replied(self, number: int, step: Asked) -> None:
        reply = step.reply
        if reply is None and step.error is None:
            return
        said: dict[str, Any] = {}
        if reply is not None:
            said = {"text": reply.text, "calls": reply.calls, "finish": reply.finish, "usage": reply.usage}
        self._record(
            ModelReply(
                call=number,
                attempt=1,
                ok=step.error is None,
                status=step.status,
                error=step.error,
                latency_ms=_milliseconds(step),
                **said,
            )
        )


def _result(number: int, step: Used) -> ToolResult:
    return ToolResult(
        call=number,
        ok=step.error is None,
        form="value" if step.error is None else "refused",
        result=step.result,
        error=step.error,
        latency_ms=_milliseconds(step),
    )


def _milliseconds(step: Asked | Used) -> float:
    if step.began is None or step.ended is None:
        return 0.0
    return max(0.0, round((step.ended - step.began) / 1_000_000, 3))
