"""OpenAI Agents SDK: what its exporters get, `object` being `trace` or `trace.span`.

Results of tools carry no id of a call. Spans of the type `response` may come without content.
"""

from __future__ import annotations

from typing import Any

from squall.trace.formats.records import Record
from squall.trace.formats.shapes import target_of
from squall.trace.formats.spoken import messages_in, model_in, reply_in, rest_of, tools_in
from squall.trace.formats.steps import Asked, Imported, Reply, Used
from squall.trace.formats.tree import Node, run_of
from squall.trace.formats.values import as_json, mapped, nanoseconds, text_or_none, tokens, unpacked

NAME = "openai-agents"
LOOKS_FOR = "exports of the OpenAI Agents SDK (`object` is `trace.span`, with `span_data`)"
KINDS = {"generation": "model", "response": "model", "function": "tool", "agent": "agent"}


def looks(value: Any) -> bool:
    """Whether a record is a span, or a trace."""
    raw = mapped(value)
    return raw.get("object") == "trace.span" or (raw.get("object") == "trace" and "workflow_name" in raw)


def key(record: Record) -> str | None:
    """The trace of a record."""
    raw = mapped(record.value)
    return str(raw.get("trace_id") or raw.get("id"))


def read(values: list[Any]) -> list[Imported]:
    """The run that the spans of a trace tell of."""
    raws = [mapped(value) for value in values]
    about = [mapped(raw.get("metadata")) for raw in raws if raw.get("object") == "trace"]
    users = (text_or_none(each.get("user_id")) for each in about)
    first = raws[0]
    return run_of(
        [_node(raw) for raw in raws if raw.get("object") != "trace"],
        format=NAME,
        id=str(first.get("trace_id") or first.get("id")),
        user=next((user for user in users if user is not None), None),
    )


def _node(raw: dict[str, Any]) -> Node:
    data = mapped(raw.get("span_data"))
    kind = KINDS.get(str(data.get("type")), "")
    return Node(
        id=str(raw.get("id")),
        parent=text_or_none(raw.get("parent_id")) or "",
        kind=kind,
        step=_asked(raw, data) if kind == "model" else _used(raw, data) if kind == "tool" else None,
        error=_error(raw),
    )


def _asked(raw: dict[str, Any], data: dict[str, Any]) -> Asked:
    response = mapped(data.get("response"))
    given, output = data.get("input"), data.get("output", response.get("output"))
    messages = messages_in(given)
    said = reply_in(output, data.get("usage")) if output else None
    settings = mapped(data.get("model_config"))
    if said is not None:
        finish = said.finish or ("tool_calls" if said.calls else None)
        said = Reply(text=said.text, calls=said.calls, finish=finish, usage=said.usage or tokens(response.get("usage")))
    return Asked(
        messages=messages,
        target=target_of(messages),
        model=model_in(data, response),
        tools=tools_in(response, data),
        asked=rest_of(settings),
        reply=said,
        error=_error(raw),
        began=nanoseconds(raw.get("started_at")),
        ended=nanoseconds(raw.get("ended_at")),
    )


def _used(raw: dict[str, Any], data: dict[str, Any]) -> Used:
    error, given = _error(raw), unpacked(data.get("input"))
    return Used(
        tool=str(data.get("name") or ""),
        args={} if given is None or given == "" else given,
        result=unpacked(data.get("output")),
        error=error,
        answered=data.get("output") is not None or error is not None or raw.get("ended_at") is not None,
        began=nanoseconds(raw.get("started_at")),
        ended=nanoseconds(raw.get("ended_at")),
    )


def _error(raw: dict[str, Any]) -> str | None:
    error = raw.get("error")
    if not error:
        return None
    told = mapped(error)
    cause = mapped(told.get("data")).get("error")
    words = [each for each in (told.get("message"), cause) if isinstance(each, str) and each]
    return ": ".join(words) or as_json(error)
