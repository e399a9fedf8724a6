"""Plain chat messages as JSON Lines: a conversation on each line, or one message.

A conversation is an object with `messages`, in OpenAI's or Anthropic's shape; it may have `tools`, `model`, `id`,
`error` and, in itself or under `meta` or `metadata`, `user_id`. Messages one per line belong together by a `run_id`,
`conversation_id`, `thread_id` or `session_id`; without one by the list that they stand in, or the file.
"""

from __future__ import annotations

from typing import Any

from squall.trace.formats.records import Record
from squall.trace.formats.shapes import as_chat, turns
from squall.trace.formats.steps import Imported
from squall.trace.formats.values import listed, mapped, text_or_none

NAME = "chat"
LOOKS_FOR = "chat messages (`messages` on each line, or `role` and `content`)"
ROLES = ("system", "developer", "user", "human", "assistant", "ai", "tool", "function")
RUNS = ("run_id", "conversation_id", "thread_id", "session_id", "run")
TALKS = ("id", *RUNS, "name")
ABOUT = ("meta", "metadata")


def looks(value: Any) -> bool:
    """Whether a record is a conversation, or a message of one."""
    raw = mapped(value)
    messages = raw.get("messages")
    if isinstance(messages, list):
        return bool(messages) and all(_is_message(each) for each in messages)
    return "messages" not in raw and _is_message(raw) and ("content" in raw or "tool_calls" in raw)


def _is_message(value: Any) -> bool:
    raw = mapped(value)
    return raw.get("role", raw.get("type")) in ROLES


def key(record: Record) -> str | None:
    """The run that a message belongs to; None: a conversation is a run by itself."""
    raw = mapped(record.value)
    if "messages" in raw:
        return None
    named = next((name for field in RUNS if (name := text_or_none(raw.get(field)))), None)
    return f"in {record.inside}" if named is None else f"of {named}"


def read(values: list[Any]) -> list[Imported]:
    """The run in a conversation, or in the messages of one."""
    first = mapped(values[0])
    if "messages" in first:
        return [_conversation(each) for each in listed(values)]
    named = next((name for field in RUNS if (name := text_or_none(first.get(field)))), "")
    return [Imported(format=NAME, id=named, steps=turns([_message(each) for each in listed(values)]))]


def _conversation(raw: dict[str, Any]) -> Imported:
    tools = raw.get("tools") if "tools" in raw else raw.get("functions")
    steps = turns(
        [_message(each) for each in listed(raw["messages"])],
        tools=tools if isinstance(tools, list) else None,
        model=text_or_none(raw.get("model")) or "",
    )
    error = raw.get("error")
    return Imported(
        format=NAME,
        id=next((name for field in TALKS if (name := _name(raw.get(field)))), ""),
        user=_user(raw),
        steps=steps,
        error=text_or_none(error) or text_or_none(mapped(error).get("message")),
    )


def _message(raw: dict[str, Any]) -> dict[str, Any]:
    """In a shape that steps hold; messages of providers as they are."""
    role = raw.get("role")
    return raw if isinstance(role, str) and role not in {"human", "ai"} else as_chat(raw)


def _name(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _user(raw: dict[str, Any]) -> str | None:
    places = (raw, *(mapped(raw.get(about)) for about in ABOUT))
    return next((name for place in places if (name := text_or_none(place.get("user_id")))), None)
