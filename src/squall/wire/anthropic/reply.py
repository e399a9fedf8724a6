"""A reply as Anthropic's message: its blocks, why it ended, its tokens. Knows nothing of streams."""

from __future__ import annotations

from typing import Any

from squall.call import ModelRequest, Reply, Usage
from squall.models import tokens
from squall.wire.anthropic import partial
from squall.wire.dialect import Stamp

REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
    "refusal": "refusal",
}
SIGNATURE = "EuYBCkQYBCJA"
REFUSED = {"type": "refusal", "category": None, "explanation": None}


def message(request: ModelRequest, reply: Reply, stamp: Stamp) -> dict[str, Any]:
    """The whole body."""
    reason = stop_reason(reply)
    return envelope(
        request,
        stamp,
        content=blocks(request, reply, stamp),
        reason=reason,
        stopped_by=reply.stopped_by if reason == "stop_sequence" else None,
        usage=counted(tokens.usage_of(request, reply)),
    )


def envelope(
    request: ModelRequest,
    stamp: Stamp,
    *,
    content: list[dict[str, Any]],
    reason: str | None,
    stopped_by: str | None,
    usage: dict[str, Any],
) -> dict[str, Any]:
    """A message around its content; of a stream, what it begins with."""
    return {
        "model": request.model,
        "id": stamp.id("msg_", 0),
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": reason,
        "stop_sequence": stopped_by,
        "stop_details": REFUSED if reason == "refusal" else None,
        "usage": usage,
    }


def blocks(request: ModelRequest, reply: Reply, stamp: Stamp) -> list[dict[str, Any]]:
    """What it says, block by block; nothing where there is nothing to say."""
    content: list[dict[str, Any]] = []
    if reply.reasoning:
        content.append({"type": "thinking", "thinking": shown(request, reply.reasoning), "signature": signature(stamp)})
    content += [{"type": "text", "text": text} for text in (reply.text, reply.refusal) if text]
    for number, call in enumerate(reply.calls):
        content.append(
            {
                "type": "tool_use",
                "id": call.id or stamp.id("toolu_", number),
                "name": call.name,
                "input": partial.read(call.arguments),
            }
        )
    return content


def shown(request: ModelRequest, reasoning: str) -> str:
    """The part of a model's reasoning that the request wants to see: all of it, or none."""
    thinking = request.body.get("thinking") or {}
    return "" if thinking.get("display") == "omitted" else reasoning


def signature(stamp: Stamp) -> str:
    """What a block of reasoning is signed with."""
    return stamp.id(SIGNATURE, "signature")


def stop_reason(reply: Reply) -> str:
    """Why a reply ended, in Anthropic's word."""
    finish = reply.finish
    if finish is None:
        finish = "refusal" if reply.refusal else "tool_calls" if reply.calls else "stop"
    if finish == "stop" and reply.stopped_by is not None:
        return "stop_sequence"
    return REASONS.get(finish, finish)


def counted(usage: Usage) -> dict[str, Any]:
    """Tokens as Anthropic counts them: what came from the cache is no part of the input."""
    counts: dict[str, Any] = {
        "input_tokens": usage.input - usage.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": usage.output,
        "service_tier": "standard",
    }
    if usage.reasoning:
        counts["output_tokens_details"] = {"thinking_tokens": usage.reasoning}
    return counts
