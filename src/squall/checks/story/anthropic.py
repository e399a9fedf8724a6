"""Anthropic's messages: blocks of content. Results stand in a user's message, and each is a message of its own here.

Lenient: blocks that are not known are left out, and what is missing is empty. Nothing here raises.
"""

from __future__ import annotations

from typing import Any

from squall.checks.story.content import listed, mapped, text_of, use_of
from squall.checks.story.said import NOTHING, Offers, Said
from squall.checks.story.shapes import Message, Role, Use

REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refusal",
    "pause_turn": "pause",
}
HOSTED = frozenset(("server_tool_use", "mcp_tool_use"))
OPEN = ("tool_search", "mcp_toolset")


def messages(raw: list[dict[str, Any]]) -> list[Message]:
    """The messages of a request, in order."""
    found: list[Message] = []
    for each in raw:
        content = each.get("content")
        if each.get("role") == "assistant":
            found.append(Message("assistant", text_of(content), calls=_uses(content)))
            continue
        found += [_result(block) for block in listed(content) if block.get("type") == "tool_result"]
        words = [block for block in listed(content) if block.get("type") != "tool_result"]
        if isinstance(content, str) or words:
            role: Role = "system" if each.get("role") == "system" else "user"
            found.append(Message(role, text_of(content if isinstance(content, str) else words)))
    return found


def reply(body: Any) -> Said:
    """What a message says."""
    whole = mapped(body)
    if not whole:
        return NOTHING
    content = whole.get("content")
    reason = whole.get("stop_reason")
    hosted = tuple(str(block["type"]) for block in listed(content) if block.get("type") in HOSTED)
    finish = REASONS.get(reason, reason) if isinstance(reason, str) else None
    name = whole.get("id")
    return Said(text_of(content), _uses(content), finish, hosted, name if isinstance(name, str) else None)


def offers(tools: Any, _asked: dict[str, Any]) -> Offers | None:
    """The schemas by the names of the tools; None where tools are offered that have no names here."""
    found: dict[str, Any] = {}
    for each in listed(tools):
        name, kind = each.get("name"), str(each.get("type") or "")
        if kind.startswith(OPEN):
            return None
        if isinstance(name, str) and name:
            schema = each.get("input_schema")
            found[name] = schema if isinstance(schema, dict) else None
    return found


def _uses(content: Any) -> tuple[Use, ...]:
    return tuple(
        use_of(block.get("name"), block.get("input"), block.get("id"))
        for block in listed(content)
        if block.get("type") == "tool_use"
    )


def _result(block: dict[str, Any]) -> Message:
    answers, content = block.get("tool_use_id"), block.get("content")
    flag = block.get("is_error")
    return Message(
        "tool",
        text_of(content),
        answers=answers if isinstance(answers, str) else None,
        failed=flag if isinstance(flag, bool) else False,
        value=content,
    )
