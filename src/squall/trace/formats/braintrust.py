"""Braintrust: rows of logs with `span_attributes.type`, `span_parents`, `input`, `output`, `metrics` and `error`."""

from __future__ import annotations

from typing import Any

from squall.trace.formats.records import Record
from squall.trace.formats.spoken import messages_in, model_in, reply_in, rest_of, tools_in
from squall.trace.formats.steps import Asked, Imported, Used
from squall.trace.formats.tree import Node, run_of
from squall.trace.formats.values import as_json, mapped, nanoseconds, text_or_none, unpacked

NAME = "braintrust"
LOOKS_FOR = "Braintrust logs (`span_attributes` and `root_span_id`)"
KINDS = {"llm": "model", "tool": "tool", "task": "agent"}


def looks(value: Any) -> bool:
    """Whether a record is a row of a log."""
    raw = mapped(value)
    return isinstance(raw.get("span_attributes"), dict) and "root_span_id" in raw


def key(record: Record) -> str | None:
    """The root of a row."""
    return str(mapped(record.value).get("root_span_id"))


def read(values: list[Any]) -> list[Imported]:
    """The run that the rows under one root tell of."""
    raws = [mapped(value) for value in values]
    users = (text_or_none(mapped(raw.get("metadata")).get("user_id")) for raw in raws)
    nodes = [_node(raw) for raw in raws]
    return run_of(
        nodes,
        format=NAME,
        id=str(raws[0].get("root_span_id")),
        user=next((user for user in users if user is not None), None),
    )


def _node(raw: dict[str, Any]) -> Node:
    kind = KINDS.get(str(mapped(raw.get("span_attributes")).get("type")), "")
    parents = raw.get("span_parents")
    parent = parents[0] if isinstance(parents, list) and parents else None
    return Node(
        id=str(raw.get("span_id")),
        parent=parent if isinstance(parent, str) else "",
        kind=kind,
        step=_asked(raw) if kind == "model" else _used(raw) if kind == "tool" else None,
        answer=raw.get("output") if kind == "agent" else None,
        error=_error(raw),
    )


def _asked(raw: dict[str, Any]) -> Asked:
    about, metrics = mapped(raw.get("metadata")), mapped(raw.get("metrics"))
    output = raw.get("output")
    return Asked(
        messages=messages_in(raw.get("input")),
        model=model_in(about),
        tools=tools_in(about, mapped(raw.get("input"))),
        asked=rest_of(about),
        reply=None if output is None else reply_in(output, metrics),
        error=_error(raw),
        began=nanoseconds(metrics.get("start", raw.get("created"))),
        ended=nanoseconds(metrics.get("end")),
    )


def _used(raw: dict[str, Any]) -> Used:
    metrics, given = mapped(raw.get("metrics")), unpacked(raw.get("input"))
    return Used(
        tool=str(mapped(raw.get("span_attributes")).get("name") or ""),
        args={} if given is None else given,
        result=unpacked(raw.get("output")),
        error=_error(raw),
        answered="output" in raw or "error" in raw or "end" in metrics,
        began=nanoseconds(metrics.get("start", raw.get("created"))),
        ended=nanoseconds(metrics.get("end")),
    )


def _error(raw: dict[str, Any]) -> str | None:
    """The last line of a traceback is what was raised."""
    error = raw.get("error")
    if error is None or error == "":
        return None
    lines = [line for line in as_json(error).splitlines() if line.strip()]
    return lines[-1] if lines and lines[0].startswith("Traceback") else "\n".join(lines) or "error"
