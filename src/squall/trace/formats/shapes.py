"""Messages in the shapes of providers, and what an assistant's message says in neutral words.

Steps hold messages in one of three shapes, those of `model.chat`, `model.messages` and `model.responses`. Others, such
as LangChain's, are turned into the first. Lenient: what is not known is left as it is. Nothing here raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from squall.trace.formats.steps import Asked, Left, Reply, Step, Used
from squall.trace.formats.values import as_json, listed, mapped, parsed, text_or_none, tokens, unpacked

BLOCKS = ("tool_use", "tool_result")
ITEMS = ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")
ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "generic": "user", "function": "tool"}
CLASSES = {
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
    "HumanMessageChunk": "user",
    "ToolMessageChunk": "tool",
    "SystemMessageChunk": "system",
}
FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "tool_use": "tool_calls",
    "tool_call": "tool_calls",
    "function_call": "tool_calls",
    "model_length": "length",
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
}


def finish_of(word: Any) -> str | None:
    """A provider's word for why a model stopped as a neutral one."""
    return FINISHES.get(word, word) if isinstance(word, str) and word else None


def target_of(messages: Sequence[Any]) -> str:
    """Whose shape messages have; chat's where nothing shows another."""
    for message in messages:
        if not isinstance(message, dict):
            continue
        if message.get("type") in ITEMS and "role" not in message:
            return "model.responses"
        if any(block.get("type") in BLOCKS for block in listed(message.get("content"))):
            return "model.messages"
    return "model.chat"


def words_of(content: Any) -> str | None:
    """The text of a content, whose parts are joined by newlines; None where it has none."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return None
    found = [part if isinstance(part, str) else mapped(part).get("text") for part in content]
    texts = [each for each in found if isinstance(each, str)]
    return "\n".join(texts) if texts else None


def calls_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that an assistant's message asks for, in any of the shapes."""
    found = [_call(each) for each in listed(message.get("tool_calls"))]
    if not found and isinstance(old := message.get("function_call"), dict):
        found = [_call(old)]
    if not found:
        blocks = listed(message.get("content"))
        found = [made(block.get("name"), block.get("input"), block.get("id")) for block in blocks if _is_use(block)]
    return found


def _is_use(block: dict[str, Any]) -> bool:
    return block.get("type") == "tool_use"


def _call(raw: dict[str, Any]) -> dict[str, Any]:
    inner = raw.get("function")
    if not isinstance(inner, dict):
        inner = raw if inner is None else {**raw, "name": inner}
    arguments = next((inner[name] for name in ("arguments", "args", "input") if name in inner), None)
    return made(inner.get("name"), arguments, raw.get("id"))


def made(name: Any, arguments: Any, call_id: Any) -> dict[str, Any]:
    """A call in the words of `model_reply`."""
    written = "{}" if arguments is None else as_json(arguments)
    call = {"name": name if isinstance(name, str) else "", "arguments": written}
    return {"id": call_id, **call} if isinstance(call_id, str) and call_id else call


def reply_of(message: dict[str, Any], finish: Any = None, usage: Any = None) -> Reply:
    """What an assistant's message says; its own finish and usage count where none are given."""
    said = words_of(message.get("content"))
    refusal = text_or_none(message.get("refusal"))
    why = finish_of(finish or message.get("finish_reason") or message.get("stop_reason"))
    return Reply(
        text=refusal if not said and refusal else said,
        calls=calls_of(message),
        finish="refusal" if refusal and not said else why,
        usage=tokens(usage or message.get("usage")),
    )


def reply_of_items(items: Sequence[dict[str, Any]], usage: Any = None) -> Reply:
    """What the items of a response's output say."""
    calls = [
        made(each.get("name"), each.get("arguments", each.get("input")), each.get("call_id"))
        for each in items
        if each.get("type") in ITEMS
    ]
    said = [
        words
        for each in items
        if each.get("type") == "message" and (words := words_of(each.get("content"))) is not None
    ]
    return Reply(text="\n".join(said) if said else None, calls=calls, usage=tokens(usage))


def as_chat(message: dict[str, Any]) -> dict[str, Any]:
    """A message of LangChain, in one of its forms, as a chat's; others as they are."""
    inner = mapped(message.get("kwargs")) or mapped(message.get("data"))
    if "lc" in message or (inner and "role" not in message):
        path = message.get("id")
        name = path[-1] if isinstance(path, list) and path and isinstance(path[-1], str) else message.get("type")
        message = {"type": CLASSES.get(str(name), name), **inner} if inner else message
    kind = message.get("role") or message.get("type")
    role = ROLES.get(str(kind), CLASSES.get(str(kind), str(kind)))
    if role not in {"user", "assistant", "system", "developer", "tool"}:
        return message
    made_ = {"role": role, "content": message.get("content")}
    calls = calls_of(message) or calls_of(mapped(message.get("additional_kwargs")))
    if role == "assistant" and calls:
        made_["tool_calls"] = [wired(call) for call in calls]
    for name in ("tool_call_id", "name", "is_error", "refusal"):
        if message.get(name) is not None:
            made_[name] = message[name]
    if role == "tool" and message.get("status") == "error":
        made_["is_error"] = True
    return made_


def wired(call: dict[str, Any]) -> dict[str, Any]:
    """A call as it stands in a chat's message."""
    function = {"name": call["name"], "arguments": call["arguments"]}
    return {"type": "function", "function": function, **({"id": call["id"]} if "id" in call else {})}


def said_in_chat(reply: Reply) -> dict[str, Any]:
    """A reply as a chat's message."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [wired(call) for call in reply.calls]
    return message


def turns(messages: Sequence[Any], *, tools: list[Any] | None = None, model: str = "") -> list[Step]:
    """The steps that a whole conversation tells of: each message of an assistant is the answer to all before it."""
    steps: list[Step] = []
    target = target_of(messages)
    new: list[Any] = []
    last: int | None = None
    for message in messages:
        if mapped(message).get("role") != "assistant":
            new.append(message)
            continue
        asked = Asked(
            messages=new,
            target=target,
            model=text_or_none(message.get("model")) or model,
            tools=tools if last is None else None,
            after=last,
            reply=reply_of(message),
        )
        last = len(steps)
        steps.append(asked)
        new = [message]
    if last is None:
        return [Asked(messages=new, target=target, model=model, tools=tools)] if new else []
    return steps + rest(new[1:], steps[last])


def rest(messages: Sequence[Any], last: Step) -> list[Step]:
    """What comes after the last reply: results of its calls, and messages that nobody has answered."""
    waiting = list(last.reply.calls) if isinstance(last, Asked) and last.reply is not None else []
    steps: list[Step] = []
    left: list[Any] = []
    for message in messages:
        answers = _answers(message)
        if not answers:
            left.append(message)
        for call_id, content, failed in answers:
            call = next((each for each in waiting if call_id is not None and each.get("id") == call_id), None)
            call = call or next(iter(waiting), None)
            if call is None:
                left.append(message)
                break
            waiting.remove(call)
            error = (words_of(content) or "error") if failed else None
            args = parsed(call["arguments"], call["arguments"])
            steps.append(Used(tool=call["name"], args=args, result=unpacked(content), error=error))
    return [*steps, Left(left)] if left else steps


def _answers(message: Any) -> list[tuple[str | None, Any, bool]]:
    """The results in a message: the ids that they name, their contents, whether they are marked as errors."""
    raw = mapped(message)
    if raw.get("role") in ("tool", "function"):
        failed = raw.get("is_error") is True or raw.get("status") == "error"
        return [(text_or_none(raw.get("tool_call_id")), raw.get("content"), failed)]
    return [
        (text_or_none(block.get("tool_use_id")), block.get("content"), block.get("is_error") is True)
        for block in listed(raw.get("content"))
        if block.get("type") == "tool_result"
    ]
