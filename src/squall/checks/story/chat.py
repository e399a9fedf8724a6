"""OpenAI's chat completions: messages, replies and offers. Also what exporters write in their shape.

Lenient: parts that are not known are left out, and what is missing is empty. Nothing here raises.
"""

from __future__ import annotations

from typing import Any

from squall.checks.story.content import listed, mapped, text_of, use_of
from squall.checks.story.said import NOTHING, Offers, Said
from squall.checks.story.shapes import Message, Role, Use

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
FINISHES = {"function_call": "tool_calls"}
OPEN = frozenset(("tool_search", "namespace", "mcp"))
"""Kinds of tools behind which there are others that a request does not name."""


def messages(raw: list[dict[str, Any]]) -> list[Message]:
    """The messages of a request, in order."""
    return [message(each) for each in raw]


def message(raw: dict[str, Any]) -> Message:
    """One message."""
    role = ROLES.get(str(raw.get("role")), "user")
    content = raw.get("content")
    if role == "tool":
        name = raw.get("name")
        flag = raw.get("is_error")
        return Message(
            "tool",
            text_of(content),
            answers=_text(raw.get("tool_call_id")),
            failed=flag if isinstance(flag, bool) else _status(raw.get("status")),
            name=_text(name),
            value=content,
        )
    if role == "assistant":
        return Message(role, text_of(content) or text_of(raw.get("refusal")), calls=uses(raw))
    return Message(role, text_of(content))


def uses(raw: dict[str, Any]) -> tuple[Use, ...]:
    """The calls in what an assistant said."""
    found = [_use(each) for each in listed(raw.get("tool_calls"))]
    if not found and isinstance(old := raw.get("function_call"), dict):
        found = [use_of(old.get("name"), old.get("arguments"), None)]
    return tuple(found)


def reply(body: Any) -> Said:
    """What a completion says in its first choice."""
    choices = listed(mapped(body).get("choices"))
    if not choices:
        return Said(id=_text(mapped(body).get("id"))) if body else NOTHING
    said = mapped(choices[0].get("message"))
    finish = _text(choices[0].get("finish_reason"))
    refusal = text_of(said.get("refusal"))
    return Said(
        text_of(said.get("content")) or refusal,
        uses(said),
        "refusal" if refusal else FINISHES.get(finish or "", finish),
        id=_text(mapped(body).get("id")),
    )


def offers(tools: Any, asked: dict[str, Any]) -> Offers | None:
    """The schemas by the names of the tools; None where tools are offered that have no names here."""
    found: dict[str, Any] = {}
    for each in [*listed(tools), *listed(asked.get("functions"))]:
        kind = each.get("type")
        if kind in OPEN:
            return None
        inner = mapped(each.get("function") or each.get("custom") or each)
        name = _text(inner.get("name"))
        if name:
            schema = inner.get("parameters")
            found[name] = schema if isinstance(schema, dict) and kind != "custom" else None
    return found


def _use(raw: dict[str, Any]) -> Use:
    if isinstance(custom := raw.get("custom"), dict):
        return use_of(custom.get("name"), custom.get("input"), raw.get("id"), free=True)
    inner = mapped(raw.get("function") or raw)
    arguments = inner["arguments"] if "arguments" in inner else inner.get("args")
    return use_of(inner.get("name"), arguments, raw.get("id"))


def _status(value: Any) -> bool | None:
    """LangChain's own mark on a tool's message."""
    return {"error": True, "success": False}.get(value) if isinstance(value, str) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
