"""Writes traces as OTLP/JSON by the GenAI conventions, and reads what it has written back as it was.

A run is a trace: its root is `invoke_agent`, each request to a model `chat`, each call of a tool `execute_tool`. What
the conventions have no name for stands in attributes of ours, version 1:

- on the root `squall.run`; and, as its events `squall.<kind>`, all events of the run that are no call and no result;
- on each span and event `squall.seq`, `squall.t` and `squall.event`, the event of the trace as JSON; on a span whose
  call was answered the same under `squall.reply.`;
- `squall.taken` (`squall.reply.taken`): the fields that were left out there, since the conventions' attributes have
  them; `squall.new`: how many of the messages, the last ones, are the event's own.

Payloads are written raw: whoever gets the file gets what the agent was told.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from squall.canonical import digest_bytes
from squall.errors import Problem, UsageError
from squall.trace.formats import genai
from squall.trace.formats.parts import in_parts, said
from squall.trace.formats.spans import Span
from squall.trace.formats.values import SECOND, as_json, listed, mapped, nanoseconds, unpacked
from squall.trace.kinds import AgentFinal, AnyEvent, ModelCall, ModelReply, RunStart, ToolCall, ToolResult
from squall.trace.line import encode
from squall.trace.reader import Entry, Trace
from squall.trace.recorder import Recorder
from squall.version import __version__

RUN, SEQ, T, EVENT, TAKEN, NEW = "squall.run", "squall.seq", "squall.t", "squall.event", "squall.taken", "squall.new"
REPLY = "squall.reply."
OWN = "squall."
INTERNAL, CLIENT = 1, 3
OK, ERROR = 1, 2
PRIVATE = 0o600

_event_decoder = msgspec.json.Decoder(AnyEvent)


def export_otlp(traces: Iterable[Trace], path: str | Path) -> None:
    """Write runs into a file that only its owner can read. Raises `UsageError` where it cannot be written."""
    head = {"attributes": _attributes({"service.name": "squall"})}
    scope = {"name": "squall", "version": __version__}
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE), "wb") as file:
            os.fchmod(file.fileno(), PRIVATE)  # also where the file was there before
            file.write(
                b'{"resourceSpans":[{"resource":%b,"scopeSpans":[{"scope":%b,"spans":[' % (encode(head), encode(scope))
            )
            before = b"\n"
            for trace in traces:
                for span in _spans(trace):
                    file.write(before + json.dumps(span, ensure_ascii=False).encode(errors="replace"))
                    before = b",\n"
            file.write(b"\n]}]}]}\n")
    except OSError as error:
        message = f"cannot write {str(path)!r}: {error.strerror or error}"
        raise UsageError(Problem(message, hint="Name a file in a folder that is there.")) from None


def _spans(trace: Trace) -> Iterator[dict[str, Any]]:
    entries = trace.entries()
    return _Export(entries).spans() if entries else iter(())


class _Export:
    """The spans of one run."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries
        first = entries[0]
        self._run = first.envelope.run
        self._trace = digest_bytes(
            f"{self._run}\0{first.envelope.hash}\0{entries[-1].envelope.hash}".encode(errors="replace")
        )[:32]
        start = first.event.start if isinstance(first.event, RunStart) else None
        self._zero = nanoseconds(start) or 0
        self._messages: dict[int, list[dict[str, Any]]] = {}
        self._tools: dict[int, Any] = {}

    def spans(self) -> Iterator[dict[str, Any]]:
        ends = self._ends()
        told = {id(entry) for entry in ends.values()}
        loose = []
        for entry in self._entries:
            event = entry.event
            if isinstance(event, ModelCall):
                yield self._asked(entry, event, ends.pop((ModelReply, event.call), None))
            elif isinstance(event, ToolCall):
                yield self._used(entry, event, ends.pop((ToolResult, event.call), None))
            elif id(entry) not in told:
                loose.append(entry)
        yield self._root(loose)

    def _ends(self) -> dict[tuple[type, int], Entry]:
        """What each call has come to; where there were several replies, the last."""
        answers = {ModelCall: ModelReply, ToolCall: ToolResult}
        calls = {
            (answers[type(e.event)], e.event.call) for e in self._entries if isinstance(e.event, ModelCall | ToolCall)
        }
        ends = {}
        for entry in self._entries:
            event = entry.event
            if isinstance(event, ModelReply | ToolResult) and (key := (type(event), event.call)) in calls:
                ends[key] = entry
        return ends

    def _root(self, loose: list[Entry]) -> dict[str, Any]:
        about: dict[str, Any] = {genai.OPERATION: "invoke_agent", "gen_ai.agent.name": self._run, RUN: self._run}
        finals = [entry.event for entry in loose if isinstance(entry.event, AgentFinal)]
        if finals and finals[-1].answer is not None:
            about[genai.OUTPUT] = _json(said(as_json(finals[-1].answer), [], "stop"))
        events = [
            {
                "timeUnixNano": str(self._nanoseconds(entry.envelope.t)),
                "name": f"squall.{_kind(entry.event)}",
                "attributes": _attributes(_told(entry, {})),
            }
            for entry in loose
        ]
        error = finals[-1].error if finals else None
        return self._span(f"invoke_agent {self._run}", self._entries[0], self._entries[-1], about, error, events=events)

    def _asked(self, entry: Entry, event: ModelCall, end: Entry | None) -> dict[str, Any]:
        own = listed(event.messages)
        whole = self._messages.get(event.continues or 0, []) + [in_parts(each) for each in own]
        tools = self._tools.get(event.continues or 0) if event.tools is None else event.tools
        self._messages[event.call], self._tools[event.call] = whole, tools
        taken = {}
        if isinstance(event.messages, list) and all(_returns(each) for each in event.messages):
            taken["messages"] = event.messages
        if isinstance(event.tools, list):
            taken["tools"] = event.tools
        about: dict[str, Any] = {
            genai.OPERATION: "chat",
            "gen_ai.request.model": event.model,
            genai.INPUT: _json(whole),
            NEW: len(own),
            **({genai.DEFINITIONS: _json(tools)} if isinstance(tools, list) else {}),
            **_told(entry, taken),
        }
        error = None
        if end is not None and isinstance(reply := end.event, ModelReply):
            error = reply.error or ("error" if not reply.ok else None)
            about |= self._replied(end, reply)
        return self._span(f"chat {event.model}", entry, end, about, error, kind=CLIENT)

    @staticmethod
    def _replied(entry: Entry, event: ModelReply) -> dict[str, Any]:
        output = said(event.text, event.calls, event.finish)
        back = genai.reply_of_output(output)
        taken = {}
        if back is not None and (back.text, back.calls) == (event.text, event.calls):
            taken = {"text": event.text, "calls": event.calls}
        usage = {name: event.usage[name] for name in ("input", "output") if name in event.usage}
        return {
            genai.OUTPUT: _json(output),
            **({"gen_ai.response.finish_reasons": [event.finish]} if event.finish is not None else {}),
            **{f"gen_ai.usage.{name}_tokens": number for name, number in usage.items()},
            **({"http.response.status_code": event.status} if event.status is not None else {}),
            **_told(entry, taken, REPLY),
        }

    def _used(self, entry: Entry, event: ToolCall, end: Entry | None) -> dict[str, Any]:
        about: dict[str, Any] = {
            genai.OPERATION: "execute_tool",
            "gen_ai.tool.name": event.tool,
            "gen_ai.tool.call.arguments": as_json(event.args),
            **_told(entry, {"args": event.args} if _plain(event.args) else {}),
        }
        error = None
        if end is not None and isinstance(result := end.event, ToolResult):
            error = result.error or ("error" if not result.ok else None)
            about["gen_ai.tool.call.result"] = as_json(result.result)
            about |= _told(end, {"result": result.result} if _plain(result.result) else {}, REPLY)
        return self._span(f"execute_tool {event.tool}", entry, end, about, error)

    def _span(
        self,
        name: str,
        entry: Entry,
        end: Entry | None,
        about: dict[str, Any],
        error: str | None,
        *,
        kind: int = INTERNAL,
        events: list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        root = self._id(0)
        own = root if events is not None else self._id(entry.envelope.seq)
        if error is not None:
            about["error.type"] = error.partition(":")[0]
        return {
            "traceId": self._trace,
            "spanId": own,
            **({} if own == root else {"parentSpanId": root}),
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(self._nanoseconds(entry.envelope.t)),
            "endTimeUnixNano": str(self._nanoseconds((end or entry).envelope.t)),
            "attributes": _attributes(about),
            "events": events or [],
            "status": {"code": OK} if error is None else {"code": ERROR, "message": error},
        }

    def _id(self, seq: int) -> str:
        return digest_bytes(f"{self._trace} {seq}".encode())[:16]

    def _nanoseconds(self, t: float) -> int:
        return self._zero + round(t * SECOND)


def read(spans: list[Span]) -> list[Trace] | None:
    """The run that this module has written; None where somebody else has."""
    root = next((span for span in spans if isinstance(span.attributes.get(RUN), str)), None)
    if root is None:
        return None
    found = [_read(event.data, span, OWN) for span in spans for event in span.events]
    found += [_read(span.attributes, span, prefix) for span in spans for prefix in (OWN, REPLY)]
    if not any(found):
        return None
    now = 0.0
    recorder = Recorder(root.attributes[RUN], lambda: now)
    for _, t, event in sorted((each for each in found if each is not None), key=lambda each: each[0]):
        now = t
        recorder.record(event)
    return [Trace(recorder.lines, name=root.attributes[RUN])]


def _read(data: dict[str, Any], span: Span, prefix: str) -> tuple[int, float, AnyEvent] | None:
    written, seq, t = data.get(prefix + "event"), data.get(prefix + "seq"), data.get(prefix + "t")
    if not isinstance(written, str) or not isinstance(seq, int) or not isinstance(t, int | float):
        return None
    fields = mapped(unpacked(written))
    for name in str(data.get(prefix + "taken") or "").split():
        fields[name] = _field(name, span.attributes)
    try:
        return seq, t, _event_decoder.decode(encode(fields))
    except (msgspec.DecodeError, ValueError, TypeError, RecursionError):
        return None


def _field(name: str, about: dict[str, Any]) -> Any:
    """What the conventions' attributes have in place of a field."""
    if name == "messages":
        new = about.get(NEW)
        whole = listed(unpacked(about.get(genai.INPUT)))
        return genai.messages_of(whole[len(whole) - new :] if isinstance(new, int) else whole)
    if name == "tools":
        return unpacked(about.get(genai.DEFINITIONS))
    if name in {"text", "calls"}:
        reply = genai.reply_of_output(about.get(genai.OUTPUT))
        return getattr(reply, name, None)
    return unpacked(about.get("gen_ai.tool.call.arguments" if name == "args" else "gen_ai.tool.call.result"))


def _told(entry: Entry, taken: dict[str, Any], prefix: str = OWN) -> dict[str, Any]:
    """The event of a span or of one of its events, without the fields that are told elsewhere."""
    fields = json.loads(encode(entry.event))
    kept = {name: value for name, value in fields.items() if name not in taken}
    about = {prefix + "seq": entry.envelope.seq, prefix + "t": float(entry.envelope.t), prefix + "event": _json(kept)}
    return about | ({prefix + "taken": " ".join(taken)} if taken else {})


def _kind(event: AnyEvent) -> str:
    return str(type(event).__struct_config__.tag)


def _returns(message: Any) -> bool:
    """Whether a message can be told from its parts exactly."""
    return isinstance(message, dict) and genai.messages_of([in_parts(message)]) == [message]


def _plain(value: Any) -> bool:
    """Whether a value can be told from its text exactly."""
    return isinstance(value, dict | list)


def _json(value: Any) -> str:
    return encode(value).decode()


def _attributes(about: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _any(value)} for name, value in about.items()]


def _any(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_any(each) for each in value]}}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
