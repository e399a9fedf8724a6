"""OpenInference (Arize, Phoenix): `openinference.span.kind`, and messages as attributes whose names are paths.

https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
"""

from __future__ import annotations

from typing import Any

from squall.trace.formats.nesting import flat, nested, numbered
from squall.trace.formats.shapes import finish_of, made, reply_of, wired
from squall.trace.formats.spans import Span
from squall.trace.formats.spoken import messages_in, model_in, reply_in, rest_of, tools_in
from squall.trace.formats.steps import Asked, Reply, Used
from squall.trace.formats.values import counted, listed, mapped, text_or_none, unpacked

KIND = "openinference.span.kind"
KINDS = {"LLM": "model", "TOOL": "tool", "AGENT": "agent"}
ROOTS = ("llm", "tool", "input", "output", "openinference", "session", "user")


def spread(span: Span) -> None:
    """Give a span whose file holds attributes as objects the names that the convention has."""
    if any(isinstance(span.attributes.get(root), dict) for root in ROOTS) or isinstance(
        span.attributes.get("llm.input_messages"), list
    ):
        span.attributes = flat(span.attributes, *ROOTS)


def operation(span: Span) -> str:
    """`model`, `tool`, `agent`, or nothing."""
    return KINDS.get(str(span.attributes.get(KIND)).upper(), "")


def asked(span: Span) -> Asked:
    """The request to a model that a span tells of."""
    about = span.attributes
    given, output = unpacked(about.get("input.value")), about.get("output.value")
    messages = [_message(each) for each in numbered(about, "llm.input_messages")] or messages_in(given)
    said = [_message(each) for each in numbered(about, "llm.output_messages")]
    reply = reply_of(said[0]) if said else None
    if reply is None and output is not None and span.error is None:
        reply = reply_in(output)
    if reply is not None:
        usage = counted(about, input=("llm.token_count.prompt",), output=("llm.token_count.completion",))
        reply = Reply(
            text=reply.text,
            calls=reply.calls,
            finish=finish_of(about.get("llm.finish_reason")) or reply.finish or _finish(output),
            usage=usage or reply.usage,
        )
    parameters = mapped(unpacked(about.get("llm.invocation_parameters")))
    tools = [tool for each in numbered(about, "llm.tools") if (tool := _tool(each)) is not None]
    return Asked(
        messages=messages,
        model=text_or_none(about.get("llm.model_name")) or model_in(parameters, given),
        tools=tools or tools_in(given, parameters),
        asked=rest_of(parameters),
        reply=reply,
        error=span.error,
        began=span.began,
        ended=span.ended,
    )


def used(span: Span) -> Used:
    """The call of a tool that a span tells of. `tool.parameters` may be its schema: arguments are what went in."""
    about = span.attributes
    given = unpacked(about.get("input.value"))
    if given is None:
        parameters = unpacked(about.get("tool.parameters"))
        given = {} if "properties" in mapped(parameters) else parameters
    result = about.get("output.value")
    return Used(
        tool=text_or_none(about.get("tool.name")) or span.name,
        args={} if given is None else given,
        result=unpacked(result),
        error=span.error,
        answered=result is not None or span.error is not None or span.ended is not None,
        bare=given is None and result is None and span.error is None,
        began=span.began,
        ended=span.ended,
    )


def answer(span: Span) -> Any:
    """What an agent gave back."""
    return unpacked(span.attributes.get("output.value"))


def _message(raw: dict[str, Any]) -> dict[str, Any]:
    inner = mapped(raw.get("message")) or raw
    content = inner.get("content")
    if content is None and (parts := listed(inner.get("contents"))):
        texts = [mapped(part.get("message_content")).get("text") for part in parts]
        content = "\n".join(text for text in texts if isinstance(text, str))
    message: dict[str, Any] = {"role": inner.get("role") or "user", "content": content}
    calls = [mapped(each.get("tool_call")) or each for each in listed(inner.get("tool_calls"))]
    if calls:
        functions = [(mapped(call.get("function")), call.get("id")) for call in calls]
        message["tool_calls"] = [wired(made(f.get("name"), f.get("arguments"), name)) for f, name in functions]
    elif isinstance(name := inner.get("function_call_name"), str):
        message["tool_calls"] = [wired(made(name, inner.get("function_call_arguments_json"), None))]
    for name in ("tool_call_id", "name"):
        if inner.get(name) is not None:
            message[name] = inner[name]
    return message


def _tool(raw: dict[str, Any]) -> Any:
    return unpacked(nested(mapped(raw.get("tool")), "json_schema") or raw.get("json_schema"))


def _finish(output: Any) -> str | None:
    body = unpacked(output)
    said = reply_in(body) if isinstance(body, dict) else None
    return None if said is None else said.finish
