"""Langfuse: attributes `langfuse.observation.*` on spans of OpenTelemetry, and observations as its API hands them out.

An exported trace may hold its `observations`; observations in a list name theirs as `traceId`.
"""

from __future__ import annotations

from typing import Any

from squall.trace.formats.records import Record
from squall.trace.formats.spans import Span
from squall.trace.formats.spoken import messages_in, model_in, reply_in, rest_of, tools_in
from squall.trace.formats.steps import Asked, Imported, Used
from squall.trace.formats.tree import Node, run_of
from squall.trace.formats.values import listed, mapped, nanoseconds, text_or_none, unpacked

NAME = "langfuse"
LOOKS_FOR = "Langfuse observations (`traceId` and `type` GENERATION, SPAN, TOOL, …; or a trace's `observations`)"
PREFIX = "langfuse.observation."
TYPES = {"generation": "model", "tool": "tool", "agent": "agent"}
KNOWN = frozenset(
    "generation span event tool agent chain retriever evaluator embedding guardrail".split(),
)


def operation(span: Span) -> str:
    """`model`, `tool`, `agent`, or nothing."""
    return TYPES.get(str(span.attributes.get(PREFIX + "type")).lower(), "")


def observed(span: Span) -> dict[str, Any]:
    """An observation, from the attributes of a span."""
    about = span.attributes
    return {
        "name": span.name,
        "input": about.get(PREFIX + "input"),
        "output": about.get(PREFIX + "output"),
        "level": about.get(PREFIX + "level") or ("ERROR" if span.failed else None),
        "statusMessage": about.get(PREFIX + "status_message") or span.error,
        "model": about.get(PREFIX + "model.name") or about.get("gen_ai.request.model"),
        "modelParameters": unpacked(about.get(PREFIX + "model.parameters")),
        "usageDetails": unpacked(about.get(PREFIX + "usage_details")),
        "startTime": span.began,
        "endTime": span.ended,
    }


def asked(raw: dict[str, Any]) -> Asked:
    """The request to a model that an observation tells of."""
    given, parameters = unpacked(raw.get("input")), mapped(raw.get("modelParameters"))
    output = raw.get("output")
    return Asked(
        messages=messages_in(given),
        model=model_in(raw, given),
        tools=tools_in(given, parameters),
        asked={**rest_of(parameters), **rest_of(given)},
        reply=None if output is None else reply_in(output, raw.get("usageDetails") or raw.get("usage")),
        error=_error(raw),
        began=nanoseconds(raw.get("startTime")),
        ended=nanoseconds(raw.get("endTime")),
    )


def used(raw: dict[str, Any]) -> Used:
    """The call of a tool that an observation tells of."""
    given, error = unpacked(raw.get("input")), _error(raw)
    return Used(
        tool=str(raw.get("name") or ""),
        args={} if given is None else given,
        result=unpacked(raw.get("output")),
        error=error,
        answered=raw.get("output") is not None or error is not None or raw.get("endTime") is not None,
        bare=given is None and raw.get("output") is None and error is None,
        began=nanoseconds(raw.get("startTime")),
        ended=nanoseconds(raw.get("endTime")),
    )


def answer(raw: dict[str, Any]) -> Any:
    """What an agent gave back."""
    return unpacked(raw.get("output"))


def looks(value: Any) -> bool:
    """Whether a record is an observation, or a trace with its observations."""
    raw = mapped(value)
    if "observations" in raw:
        return any(_is_observation(each) for each in listed(raw["observations"]))
    return _is_observation(raw)


def _is_observation(raw: dict[str, Any]) -> bool:
    return str(raw.get("type")).lower() in KNOWN and any(name in raw for name in ("traceId", "parentObservationId"))


def key(record: Record) -> str | None:
    """The trace of an observation; None: a trace with all of its observations."""
    raw = mapped(record.value)
    return None if "observations" in raw else str(raw.get("traceId"))


def read(values: list[Any]) -> list[Imported]:
    """The run that observations tell of."""
    first = mapped(values[0])
    whole = first if "observations" in first else {}
    nodes = [_node(each) for each in listed(whole.get("observations") or values)]
    name = text_or_none(whole.get("id")) or text_or_none(first.get("traceId")) or ""
    user = text_or_none(whole.get("userId")) or text_or_none(first.get("userId"))
    return run_of(nodes, format=NAME, id=name, user=user)


def _node(raw: dict[str, Any]) -> Node:
    kind = TYPES.get(str(raw.get("type")).lower(), "")
    return Node(
        id=str(raw.get("id")),
        parent=text_or_none(raw.get("parentObservationId")) or "",
        kind=kind,
        step=asked(raw) if kind == "model" else used(raw) if kind == "tool" else None,
        answer=answer(raw) if kind == "agent" else None,
        error=_error(raw),
    )


def _error(raw: dict[str, Any]) -> str | None:
    failed = str(raw.get("level")).upper() == "ERROR"
    return text_or_none(raw.get("statusMessage")) or "error" if failed else None
