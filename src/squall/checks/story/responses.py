"""OpenAI's responses: items of input and output. Items that follow each other in the assistant's name are one message.

Lenient: items of tools that run at the provider are left out, and what is missing is empty. Nothing here raises.
"""

from __future__ import annotations

from typing import Any

import msgspec

from squall.checks.story import chat
from squall.checks.story.content import listed, mapped, text_of, use_of
from squall.checks.story.said import NOTHING, Offers, Said
from squall.checks.story.shapes import Message

CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
RESULTS = ("function_call_output", "custom_tool_call_output")
NEUTRAL = {"max_output_tokens": "length", "content_filter": "content_filter"}
UNDER_WAY = ("queued", "in_progress")  # in the background: what becomes of it is asked for later, where nobody looks
SILENT = frozenset(("reasoning", "item_reference", "compaction", "mcp_list_tools"))


def messages(raw: list[dict[str, Any]]) -> list[Message]:
    """The messages that items of input make, in order."""
    found: list[Message] = []
    for item in raw:
        made = _message(item)
        if made is None:
            continue
        if made.role == "assistant" and found and found[-1].role == "assistant":
            found[-1] = _joined(found[-1], made)
        else:
            found.append(made)
    return found


def reply(body: Any) -> Said:
    """What a response says."""
    whole = mapped(body)
    if not whole:
        return NOTHING
    said = [made for item in listed(whole.get("output")) if (made := _message(item)) is not None]
    words = "\n".join(each.text for each in said if each.role == "assistant" and each.text)
    uses = tuple(use for each in said for use in each.calls)
    hosted = tuple(kind for item in listed(whole.get("output")) if (kind := _hosted(item)))
    return Said(words, uses, _finish(whole, calls=bool(uses)), hosted, whole.get("id") or None)


def offers(tools: Any, asked: dict[str, Any]) -> Offers | None:
    """As of chats; a stored prompt brings tools of its own."""
    return None if asked.get("prompt") else chat.offers(tools, asked)


def _message(item: dict[str, Any]) -> Message | None:
    kind = item.get("type") or ("message" if "role" in item else None)
    if kind == "message":
        made = chat.message(item)
        return msgspec.structs.replace(made, role="user") if made.role == "tool" else made
    if kind in CALLS:
        free = kind == "custom_tool_call"
        return Message(
            "assistant", "", calls=(use_of(item.get("name"), item.get(CALLS[kind]), item.get("call_id"), free=free),)
        )
    if kind in RESULTS:
        answers, output = item.get("call_id"), item.get("output")
        flag = True if item.get("status") == "failed" else None
        return Message(
            "tool", text_of(output), answers=answers if isinstance(answers, str) else None, failed=flag, value=output
        )
    return None


def _finish(body: dict[str, Any], *, calls: bool) -> str | None:
    if body.get("status") in UNDER_WAY:
        return "pause"
    reason = mapped(body.get("incomplete_details")).get("reason")
    if reason is not None:
        return NEUTRAL.get(str(reason), str(reason))
    parts = [part for item in listed(body.get("output")) for part in listed(item.get("content"))]
    if any(part.get("type") == "refusal" for part in parts):
        return "refusal"
    if body.get("status") in (None, "completed"):
        return "tool_calls" if calls else "stop"
    return None


def _hosted(item: dict[str, Any]) -> str:
    kind = item.get("type")
    if not isinstance(kind, str) or kind == "message" or kind in CALLS or kind in SILENT:
        return ""
    return kind


def _joined(first: Message, second: Message) -> Message:
    text = f"{first.text}\n{second.text}" if first.text and second.text else first.text or second.text
    return Message("assistant", text, calls=first.calls + second.calls)
