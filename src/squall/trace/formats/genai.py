"""OpenTelemetry's conventions for generative AI: those that hold now, and those that held before 1.37.

Now: `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.system_instructions` and `gen_ai.tool.definitions`, as
JSON text or structured, on the span or on the event `gen_ai.client.inference.operation.details`. Before: an event for
each message (`gen_ai.user.message`, …, `gen_ai.choice`), on the span or as log records, or a list of such as the
attribute `events`; before that `gen_ai.prompt.N.role` and so on. Pydantic AI writes the same with its own names beside
them: results of tools under the role of a user, as `result`.
https://github.com/open-telemetry/semantic-conventions/tree/main/docs/gen-ai
"""

from __future__ import annotations

import re
from typing import Any

from squall.trace.formats.nesting import numbered
from squall.trace.formats.shapes import as_chat, finish_of, made, reply_of, wired
from squall.trace.formats.spans import Happening, Span
from squall.trace.formats.steps import Asked, Reply, Used
from squall.trace.formats.values import as_json, counted, listed, mapped, text_or_none, unpacked

OPERATION = "gen_ai.operation.name"
MODELS = ("chat", "text_completion", "generate_content", "completion")
AGENTS = ("invoke_agent", "create_agent", "invoke_workflow")
TOOL = "execute_tool"
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
SYSTEM, DEFINITIONS = "gen_ai.system_instructions", "gen_ai.tool.definitions"
DETAILS = "gen_ai.client.inference.operation.details"
ALL_MESSAGES = "pydantic_ai.all_messages"
CHOICE = "gen_ai.choice"
ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
STATUS = re.compile("[1-5][0-9][0-9]")
OLD_EVENTS = ("events", "all_messages_events")


def operation(span: Span) -> str:
    """`model`, `tool`, `agent`, or nothing."""
    named = span.attributes.get(OPERATION)
    if named in MODELS:
        return "model"
    if named == TOOL or (named is None and "gen_ai.tool.name" in span.attributes):
        return "tool"
    if named in AGENTS:
        return "agent"
    if named is None and ("gen_ai.request.model" in span.attributes or "gen_ai.prompt.0.role" in span.attributes):
        return "model"
    return "agent" if ALL_MESSAGES in span.attributes else ""


def asked(span: Span) -> Asked:
    """The request to a model that a span tells of."""
    about = {**span.attributes}
    for event in span.events:
        if event.name == DETAILS:
            about.update(event.data)
    messages = system(about) + messages_of(about.get(INPUT))
    reply = reply_of_output(about.get(OUTPUT))
    if not messages and reply is None:
        messages, reply = _of_events([*span.events, *_listed_events(about)])
    if not messages and reply is None:
        messages, reply = _of_numbers(about)
    error = span.error
    if reply is not None:
        reasons = unpacked(about.get("gen_ai.response.finish_reasons"))
        reason = reasons[0] if isinstance(reasons, list) and reasons else reasons
        usage = counted(
            about,
            input=("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
            output=("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        )
        reply = Reply(text=reply.text, calls=reply.calls, finish=reply.finish or finish_of(reason), usage=usage)
    definitions = unpacked(about.get(DEFINITIONS))
    longest = about.get("gen_ai.request.max_tokens")
    return Asked(
        messages=messages,
        model=text_or_none(about.get("gen_ai.request.model") or about.get("gen_ai.response.model")) or "",
        tools=definitions if isinstance(definitions, list) else None,
        asked={"max_tokens": longest} if isinstance(longest, int) else {},
        reply=reply,
        error=error,
        status=_status(about, error),
        stream=about.get("gen_ai.request.stream") is True,
        began=span.began,
        ended=span.ended,
    )


def used(span: Span) -> Used:
    """The call of a tool that a span tells of."""
    about = span.attributes
    name = text_or_none(about.get("gen_ai.tool.name")) or span.name.removeprefix(f"{TOOL} ")
    given = about.get("gen_ai.tool.call.arguments", about.get("tool_arguments"))
    result = about.get("gen_ai.tool.call.result", about.get("tool_response"))
    for event in span.events:
        given = event.data.get("gen_ai.tool.call.arguments", given)
        result = event.data.get("gen_ai.tool.call.result", result)
    return Used(
        tool=name,
        args={} if given is None else unpacked(given),
        result=unpacked(result),
        error=span.error,
        answered=result is not None or span.error is not None or span.ended is not None,
        bare=given is None and result is None and span.error is None,
        began=span.began,
        ended=span.ended,
    )


def conversation(span: Span) -> list[dict[str, Any]]:
    """All messages of an agent's run, where its span has them."""
    about = span.attributes
    whole = messages_of(about.get(ALL_MESSAGES))
    if not whole:
        whole = messages_of(about.get(INPUT)) + messages_of(about.get(OUTPUT))
    return system(about) + whole if whole else []


def answer(span: Span) -> Any:
    """What an agent gave back."""
    final = span.attributes.get("final_result")
    if final is not None:
        return unpacked(final)
    said = reply_of_output(span.attributes.get(OUTPUT))
    return None if said is None else said.text


def system(about: dict[str, Any]) -> list[dict[str, Any]]:
    """What is said as system outside of the messages."""
    given = unpacked(about.get(SYSTEM))
    if isinstance(given, str):
        return [{"role": "system", "content": given}] if given else []
    words = [text for part in listed(given) if isinstance(text := part.get("content", part.get("text")), str)]
    return [{"role": "system", "content": "\n".join(words)}] if words else []


def messages_of(given: Any) -> list[dict[str, Any]]:
    """Messages made of parts as a chat's: one for each result of a tool."""
    given = unpacked(given)
    if isinstance(given, str):
        return [{"role": "user", "content": given}] if given else []
    found: list[dict[str, Any]] = []
    for message in [given] if isinstance(given, dict) else listed(given):
        found += _of_parts(message) if isinstance(message.get("parts"), list) else [as_chat(message)]
    return found


def _of_parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    role = message.get("role")
    role = role if isinstance(role, str) else "user"
    results: list[dict[str, Any]] = []
    words: list[str] = []
    others: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for part in listed(message["parts"]):
        kind = part.get("type")
        if kind == "tool_call":
            calls.append(wired(made(part.get("name"), part.get("arguments"), part.get("id"))))
        elif kind == "tool_call_response":
            results.append(_result(part))
        elif kind == "text" and isinstance(part.get("content"), str):
            words.append(part["content"])
        elif kind not in ("reasoning", "thinking"):
            others.append(part)
    if role == "tool" or (results and not words and not others and not calls):
        return results or [{"role": "tool", "content": "\n".join(words)}]
    content: Any = words[0] if len(words) == 1 and not others else None
    if content is None and (words or others):
        content = [{"type": "text", "text": text} for text in words] + others
    said: dict[str, Any] = {"role": role, "content": content}
    if calls:
        said["tool_calls"] = calls
    return [*results, said]


def _result(part: dict[str, Any]) -> dict[str, Any]:
    content = next((part[name] for name in ("response", "result", "content") if name in part), None)
    result = {
        "role": "tool",
        "tool_call_id": part.get("id"),
        "content": as_json(content) if content is not None else "",
    }
    if isinstance(part.get("name"), str):
        result["name"] = part["name"]
    if part.get("is_error") is True:
        result["is_error"] = True
    return result


def reply_of_output(given: Any) -> Reply | None:
    """What an output says in its first message; None where there is none."""
    messages = listed(unpacked(given))
    if not messages:
        return None
    said = next((each for each in messages_of(messages[:1]) if each.get("role") != "tool"), None)
    return None if said is None else reply_of({**said, "finish_reason": finish_of(messages[0].get("finish_reason"))})


def _listed_events(about: dict[str, Any]) -> list[Happening]:
    for name in OLD_EVENTS:
        found = listed(unpacked(about.get(name)))
        if found:
            return [Happening(str(each.get("event.name", "")), each) for each in found]
    return []


def _of_events(events: list[Happening]) -> tuple[list[dict[str, Any]], Reply | None]:
    messages: list[dict[str, Any]] = []
    reply: Reply | None = None
    for event in events:
        data = {**mapped(unpacked(event.data.get("event_body"))), **event.data}
        if event.name in ROLES:
            messages.append(_old(data, str(data.get("role") or ROLES[event.name])))
        elif event.name == CHOICE and reply is None:
            said = mapped(unpacked(data.get("message"))) or data
            reply = reply_of(_old(said, "assistant"), data.get("finish_reason"))
        elif event.name == "gen_ai.content.prompt":
            messages += messages_of(event.data.get("gen_ai.prompt"))
        elif event.name == "gen_ai.content.completion":
            reply = reply or reply_of_output(event.data.get("gen_ai.completion"))
    return messages, reply


def _old(data: dict[str, Any], role: str) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": role,
        "content": unpacked(data.get("content")) if role != "tool" else data.get("content"),
    }
    calls = listed(unpacked(data.get("tool_calls")))
    if calls:
        message["tool_calls"] = calls
    if role == "tool":
        message["tool_call_id"] = data.get("id") or data.get("tool_call_id")
        message["content"] = as_json(message["content"]) if message["content"] is not None else ""
    return as_chat(message)


def _of_numbers(about: dict[str, Any]) -> tuple[list[dict[str, Any]], Reply | None]:
    messages = [_numbered(each) for each in numbered(about, "gen_ai.prompt")]
    said = [_numbered(each) for each in numbered(about, "gen_ai.completion")]
    return messages, reply_of(said[0]) if said else None


def _numbered(raw: dict[str, Any]) -> dict[str, Any]:
    calls = [made(each.get("name"), each.get("arguments"), each.get("id")) for each in listed(raw.get("tool_calls"))]
    message = {**raw, "role": raw.get("role") or "assistant", "content": unpacked(raw.get("content"))}
    if calls:
        message["tool_calls"] = [wired(call) for call in calls]
    return message


def _status(about: dict[str, Any], error: str | None) -> int | None:
    kind = about.get("error.type")
    found = about.get("http.response.status_code", kind)
    if error is None or isinstance(found, bool):
        return None
    if isinstance(found, str) and STATUS.fullmatch(found):
        return int(found)
    return found if isinstance(found, int) else None
