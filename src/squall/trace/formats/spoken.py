"""What platforms keep as input and output of a model's call, in whatever form the SDK in use hands it over.

Input: messages, or an object that has them, a prompt, or a request's body. Output: a message, a completion's or a
response's body, choices, LangChain's generations, or text. Lenient: what is not known gives nothing.
"""

from __future__ import annotations

from typing import Any

from squall.trace.formats.shapes import as_chat, finish_of, reply_of, reply_of_items, target_of
from squall.trace.formats.steps import Reply
from squall.trace.formats.values import listed, mapped, text_or_none, unpacked

BODIES = ("output", "message", "response", "generation", "result")
KEPT = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "tool_choice",
    "previous_response_id",
    "instructions",
    "system",
)


def messages_in(given: Any) -> list[Any]:
    """The messages of an input."""
    given = unpacked(given)
    if isinstance(given, str):
        return [{"role": "user", "content": given}] if given else []
    if isinstance(given, dict):
        for name in ("messages", "input", "prompt", "prompts", "contents"):
            if name in given:
                return messages_in(given[name])
        return [as_chat(given)] if "role" in given or "lc" in given else []
    if not isinstance(given, list):
        return []
    if len(given) == 1 and isinstance(given[0], list):  # LangChain's batches of one
        return messages_in(given[0])
    found = [{"role": "user", "content": each} if isinstance(each, str) else each for each in given]
    messages = [each for each in found if isinstance(each, dict)]
    return messages if target_of(messages) != "model.chat" else [as_chat(each) for each in messages]


def tools_in(*places: Any) -> list[Any] | None:
    """The tools offered, in the first place that names any."""
    for place in places:
        for name in ("tools", "functions"):
            found = unpacked(mapped(place).get(name))
            if isinstance(found, list):
                return found
    return None


def rest_of(given: Any) -> dict[str, Any]:
    """What else of a request's body matters."""
    body = mapped(unpacked(given))
    return {name: body[name] for name in KEPT if body.get(name) is not None}


def reply_in(given: Any, usage: Any = None) -> Reply | None:
    """What a model answered; None where the output is none."""
    given = unpacked(given)
    if isinstance(given, str):
        return Reply(text=given, usage=reply_of({}, usage=usage).usage)
    if isinstance(given, list):
        return _of_list(given, usage)
    return _of_object(mapped(given), usage)


def _of_list(given: list[Any], usage: Any) -> Reply | None:
    parts = listed(given)
    if not parts:
        return reply_in(given[0], usage) if len(given) == 1 and isinstance(given[0], list | str) else None
    if target_of(parts) == "model.responses" or any(
        part.get("type") == "message" and "content" in part for part in parts
    ):
        return reply_of_items(parts, usage)
    if all("role" not in part and part.get("type") in ("text", "tool_use", "thinking") for part in parts):
        return reply_of({"role": "assistant", "content": parts}, usage=usage)
    return _of_object(parts[-1] if "role" in parts[-1] else parts[0], usage)


def _of_object(body: dict[str, Any], usage: Any) -> Reply | None:
    usage = usage or body.get("usage") or mapped(body.get("llm_output")).get("token_usage")
    if choices := listed(body.get("choices")):
        return _of_object({"finish_reason": None, **choices[0]}, usage)
    if isinstance(generations := body.get("generations"), list) and generations:
        first = generations[0]
        return reply_in(first[0] if isinstance(first, list) and first else first, usage)
    if isinstance(message := body.get("message"), dict):
        return _of_message(
            message, usage, body.get("finish_reason") or mapped(body.get("generation_info")).get("finish_reason")
        )
    if isinstance(body.get("output"), list):
        return reply_in(body["output"], usage)
    if isinstance(said := body.get("messages"), list) and said:
        return reply_in(said[-1], usage)
    if any(name in body for name in ("role", "content", "tool_calls", "kwargs", "function_call", "refusal")):
        return _of_message(body, usage, None)
    for name in BODIES:
        if body.get(name) is not None:
            return reply_in(body[name], usage)
    return Reply(text=body["text"]) if isinstance(body.get("text"), str) else None


def _of_message(message: dict[str, Any], usage: Any, finish: Any) -> Reply:
    inner = mapped(message.get("kwargs")) or mapped(message.get("data")) or message
    about = mapped(inner.get("response_metadata"))
    why = finish or about.get("finish_reason") or about.get("stop_reason") or message.get("stop_reason")
    usage = usage or inner.get("usage_metadata") or about.get("token_usage")
    return reply_of({**as_chat({"role": "assistant", **message}), "finish_reason": finish_of(why)}, usage=usage)


def model_in(*places: Any) -> str:
    """The model's name, in the first place that has one."""
    for place in places:
        for name in ("model", "model_name", "ls_model_name"):
            if found := text_or_none(mapped(place).get(name)):
                return found
    return ""
