"""LangSmith: runs with `run_type` and `trace_id` (or `dotted_order`), in a list or nested as `child_runs`.

What goes into a tool is `inputs.input`, the `repr` of a Python value. https://docs.smith.langchain.com/
"""

from __future__ import annotations

import ast
from typing import Any

from squall.trace.formats.records import Record
from squall.trace.formats.shapes import as_chat, words_of
from squall.trace.formats.spoken import messages_in, model_in, reply_in, rest_of, tools_in
from squall.trace.formats.steps import Asked, Imported, Used
from squall.trace.formats.tree import Node, run_of
from squall.trace.formats.values import listed, mapped, nanoseconds, text_or_none, unpacked

NAME = "langsmith"
LOOKS_FOR = "LangSmith runs (`run_type` and `trace_id` or `dotted_order`)"
KINDS = {"llm": "model", "chat_model": "model", "tool": "tool", "chain": "agent"}
LONGEST_REPR = 1 << 20
DEEPEST = 100


def looks(value: Any) -> bool:
    """Whether a record is a run."""
    raw = mapped(value)
    return isinstance(raw.get("run_type"), str) and any(name in raw for name in ("trace_id", "dotted_order", "inputs"))


def key(record: Record) -> str | None:
    """The trace of a run."""
    return _trace(mapped(record.value))


def _trace(raw: dict[str, Any]) -> str:
    order = str(raw.get("dotted_order") or "").partition(".")[0]
    return text_or_none(raw.get("trace_id")) or order or str(raw.get("id"))


def read(values: list[Any]) -> list[Imported]:
    """The run that the runs of one trace tell of."""
    raws = _flat([mapped(value) for value in values])
    raws.sort(key=lambda raw: str(raw.get("dotted_order") or ""))
    users = (text_or_none(_metadata(raw).get("user_id")) for raw in raws)
    return run_of(
        [_node(raw) for raw in raws],
        format=NAME,
        id=_trace(raws[0]),
        user=next((user for user in users if user is not None), None),
    )


def _flat(raws: list[dict[str, Any]], depth: int = 0) -> list[dict[str, Any]]:
    found = []
    for raw in raws:
        found.append(raw)
        if depth < DEEPEST:
            children = [{"parent_run_id": raw.get("id"), **child} for child in listed(raw.get("child_runs"))]
            found += _flat(children, depth + 1)
    return found


def _node(raw: dict[str, Any]) -> Node:
    kind = KINDS.get(str(raw.get("run_type")), "")
    root = not raw.get("parent_run_id")
    if kind == "agent" and not root:
        kind = ""
    return Node(
        id=str(raw.get("id")),
        parent=text_or_none(raw.get("parent_run_id")) or "",
        kind=kind,
        step=_asked(raw) if kind == "model" else _used(raw) if kind == "tool" else None,
        answer=_answer(raw) if kind == "agent" else None,
        error=text_or_none(raw.get("error")),
    )


def _asked(raw: dict[str, Any]) -> Asked:
    given, parameters = mapped(raw.get("inputs")), mapped(mapped(raw.get("extra")).get("invocation_params"))
    outputs = raw.get("outputs")
    return Asked(
        messages=messages_in(given),
        model=model_in(parameters, given, _metadata(raw), mapped(outputs)),
        tools=tools_in(given, parameters),
        asked={**rest_of(parameters), **rest_of(given)},
        reply=reply_in(outputs) if outputs else None,
        error=text_or_none(raw.get("error")),
        began=nanoseconds(raw.get("start_time")),
        ended=nanoseconds(raw.get("end_time")),
    )


def _used(raw: dict[str, Any]) -> Used:
    given = mapped(raw.get("inputs"))
    args: Any = given
    if isinstance(given.get("input"), str) and len(given) == 1:
        args = _python(given["input"])
    outputs = raw.get("outputs")
    result = mapped(outputs).get("output", outputs)
    message = mapped(mapped(result).get("kwargs")) or mapped(result)
    failed = text_or_none(raw.get("error"))
    if "tool_call_id" in message or message.get("type") == "tool":
        said = as_chat({"role": "tool", **message})
        failed = failed or ((words_of(said.get("content")) or "error") if said.get("is_error") else None)
        result = said.get("content")
    return Used(
        tool=str(raw.get("name") or ""),
        args=args,
        result=unpacked(result) if result != {} else None,
        error=failed,
        answered=bool(outputs) or failed is not None or raw.get("end_time") is not None,
        began=nanoseconds(raw.get("start_time")),
        ended=nanoseconds(raw.get("end_time")),
    )


def _python(text: str) -> Any:
    """What the `repr` of a value means; the text where it is none."""
    if len(text) > LONGEST_REPR or text.lstrip()[:1] not in {"{", "[", "("}:
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return unpacked(text)


def _answer(raw: dict[str, Any]) -> Any:
    outputs = mapped(raw.get("outputs"))
    messages = listed(outputs.get("messages"))
    if messages:
        return words_of(as_chat(messages[-1]).get("content"))
    return outputs.get("output", outputs or None)


def _metadata(raw: dict[str, Any]) -> dict[str, Any]:
    return mapped(mapped(raw.get("extra")).get("metadata"))
