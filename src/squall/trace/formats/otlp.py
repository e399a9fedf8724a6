"""Spans of OpenTelemetry that tell of models and tools, whichever convention they follow.

OTLP/JSON and its lines, `to_json()` of SDKs, rows of Logfire and Phoenix; the conventions are `genai`, `openinference`
and `langfuse`. A trace is a run. A request to a model that is a trace of its own (no framework was traced) belongs to
the run whose conversation it goes on with.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from squall.canonical import digest_bytes
from squall.trace.formats import genai, langfuse, openinference, otlp_export
from squall.trace.formats.records import Record
from squall.trace.formats.shapes import calls_of, said_in_chat, turns, words_of
from squall.trace.formats.spans import Span, is_log, log_of, parent_id, span_id, span_of, trace_id
from squall.trace.formats.steps import Asked, Imported
from squall.trace.formats.tree import Node, run_of
from squall.trace.formats.values import mapped, text_or_none
from squall.trace.line import encode
from squall.trace.reader import Trace

NAME = "otlp"
LOOKS_FOR = (
    "spans of OpenTelemetry (`traceId` and `spanId` under `resourceSpans`, or `trace_id` and `span_id`): "
    "the GenAI conventions, OpenInference, Pydantic AI, Logfire, Langfuse"
)
USERS = ("user.id", "enduser.id", "langfuse.user.id", "user_id", "logfire.user_id")
MOST_HEADS = 10_000


def looks(value: Any) -> bool:
    """Whether a record is a span, or a log record of one."""
    raw = mapped(value)
    return (
        trace_id(raw) is not None
        and span_id(raw) is not None
        and ("attributes" in raw or "name" in raw or is_log(raw) or any(each.startswith("attributes.") for each in raw))
    )


def joining() -> Callable[[Record], str | None]:
    """What gives each record the run that it belongs to."""
    return _Runs().key


def read(values: list[Any]) -> list[Imported] | list[Trace]:
    """The run in the spans of one trace, or of several that belong together."""
    raws = [mapped(value) for value in values]
    spans = [span_of(raw) for raw in raws if not is_log(raw)]
    if (own := otlp_export.read(spans)) is not None:
        return own
    by_id = {span.id: span for span in spans}
    for raw in raws:
        if is_log(raw) and (span := by_id.get(span_id(raw) or "")) is not None:
            span.events.append(log_of(raw))
    nodes = [_node(span) for span in spans]
    users = (text_or_none(span.attributes.get(name)) for span in spans for name in USERS)
    user = next((name for name in users if name is not None), None)
    return run_of(nodes, format=NAME, id=spans[0].trace if spans else "", user=user)


def _node(span: Span) -> Node:
    openinference.spread(span)
    if kind := openinference.operation(span):
        step = openinference.asked(span) if kind == "model" else openinference.used(span) if kind == "tool" else None
        answer = openinference.answer(span) if kind == "agent" else None
        return Node(id=span.id, parent=span.parent, kind=kind, step=step, answer=answer, error=span.error)
    if kind := langfuse.operation(span):
        seen = langfuse.observed(span)
        known = langfuse.asked(seen) if kind == "model" else langfuse.used(seen) if kind == "tool" else None
        answer = langfuse.answer(seen) if kind == "agent" else None
        return Node(id=span.id, parent=span.parent, kind=kind, step=known, answer=answer, error=span.error)
    kind = genai.operation(span)
    found = genai.asked(span) if kind == "model" else genai.used(span) if kind == "tool" else None
    agent = kind == "agent"
    return Node(
        id=span.id,
        parent=span.parent,
        kind=kind,
        step=found,
        answer=genai.answer(span) if agent else None,
        error=span.error,
        conversation=turns(genai.conversation(span)) if agent else [],
    )


class _Runs:
    """Knows the last conversations whose requests are traces of their own, by digests of what they have said."""

    def __init__(self) -> None:
        self._heads: OrderedDict[str, str] = OrderedDict()
        self._joined: dict[str, str] = {}
        self._others: set[int] = set()

    def key(self, record: Record) -> str | None:
        raw = mapped(record.value)
        trace = trace_id(raw) or ""
        if trace in self._joined or hash(trace) in self._others or is_log(raw):
            return self._joined.get(trace, trace)
        node = None if parent_id(raw) else _node(span_of(raw))
        if node is None or not isinstance(node.step, Asked) or not node.step.messages:
            self._others.add(hash(trace))
            return trace
        run = self._run(node.step, trace)
        if run != trace:
            self._joined[trace] = run
        return run

    def _run(self, step: Asked, trace: str) -> str:
        """The run whose conversation this request goes on with; else its own."""
        run, mark = trace, ""
        for message in step.messages:
            mark = _after(mark, message)
            run = self._heads.get(mark, run)
        if step.reply is not None:
            self._heads[_after(mark, said_in_chat(step.reply))] = run
            if len(self._heads) > MOST_HEADS:
                self._heads.popitem(last=False)
        return run


def _after(mark: str, message: Any) -> str:
    """What a conversation comes to with one more message: in whichever words, the same message is the same."""
    raw = mapped(message)
    calls = [(call["name"], call["arguments"]) for call in calls_of(raw)]
    return digest_bytes(encode([mark, raw.get("role"), words_of(raw.get("content")) or "", calls]))
