"""A response's body, made from a reply: its items of output, and an echo of what was asked."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from squall.call import ModelRequest, Reply, ToolUse, Usage
from squall.models import tokens
from squall.wire.dialect import Stamp
from squall.wire.openai import offers, responses_tools

CUT = {"length": "max_output_tokens", "content_filter": "content_filter"}
ENCRYPTED = "reasoning.encrypted_content"
ECHOED: Mapping[str, Any] = {
    "background": False,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "safety_identifier": None,
    "store": True,
    "temperature": 1.0,
    "tool_choice": "auto",
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
}
"""Fields that a body repeats from its request, with what stands there when nothing was asked."""
AS_GIVEN = ("prompt", "user")


def whole(request: ModelRequest, reply: Reply, stamp: Stamp) -> dict[str, Any]:
    """The body of a response that is ready."""
    reason = CUT.get(reply.finish or "")
    return {
        **waiting(request, stamp, "incomplete" if reason else "completed"),
        "completed_at": None if reason else stamp.created,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output(request, reply, stamp),
        "usage": usage_body(tokens.usage_of(request, reply)),
    }


def waiting(request: ModelRequest, stamp: Stamp, status: str) -> dict[str, Any]:
    """The body of a response that has nothing to say yet: `queued` or `in_progress`."""
    asked = request.body
    told: dict[str, Any] = {
        "id": stamp.id("resp_", 0),
        "object": "response",
        "created_at": stamp.created,
        "status": status,
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "model": request.model,
        "output": [],
        "service_tier": "default",
        "tools": responses_tools.echoed(asked),
    }
    for name, default in ECHOED.items():
        value = asked.get(name)
        told[name] = default if value is None else value
    reasoning = asked.get("reasoning") or {}
    told["reasoning"] = {"effort": reasoning.get("effort"), "summary": reasoning.get("summary")}
    text = asked.get("text") or {}
    told["text"] = {"format": text.get("format") or {"type": "text"}, "verbosity": text.get("verbosity") or "medium"}
    for name in AS_GIVEN:
        if asked.get(name) is not None:
            told[name] = asked[name]
    conversation = asked.get("conversation")
    if conversation is not None:
        told["conversation"] = {"id": conversation} if isinstance(conversation, str) else conversation
    return told


def unready(body: dict[str, Any], status: str) -> dict[str, Any]:
    """The body of a response as it was before it had anything to say, or as it is where it never will."""
    told = {**body, "status": status, "completed_at": None, "incomplete_details": None, "output": []}
    told.pop("usage", None)
    return told


def output(request: ModelRequest, reply: Reply, stamp: Stamp) -> list[dict[str, Any]]:
    """What was thought, what is said, and what is called: an item each."""
    items: list[dict[str, Any]] = []
    if reply.reasoning is not None:
        items.append(_reasoning(request, reply.reasoning, stamp.id("rs_", 0)))
    if reply.text is not None or reply.refusal is not None:
        items.append(
            {
                "id": stamp.id("msg_", len(items)),
                "type": "message",
                "status": "incomplete" if reply.finish in CUT else "completed",
                "role": "assistant",
                "content": _said(reply),
            }
        )
    free = offers.free(request.tools)
    for place, call in enumerate(reply.calls):
        name = call.id or stamp.id("call_", place)
        items.append(_call(call, name, stamp, len(items), free=call.name in free))
    return items


def _reasoning(request: ModelRequest, thought: str, name: str) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": name,
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": thought}] if thought else [],
    }
    if ENCRYPTED in (request.body.get("include") or ()):
        item["encrypted_content"] = base64.urlsafe_b64encode(thought.encode(errors="replace")).decode()
    return item


def _said(reply: Reply) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if reply.text is not None:
        parts.append({"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []})
    if reply.refusal is not None:
        parts.append({"type": "refusal", "refusal": reply.refusal})
    return parts


def _call(call: ToolUse, name: str, stamp: Stamp, place: int, *, free: bool) -> dict[str, Any]:
    if free:
        return {
            "id": stamp.id("ctc_", place),
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": name,
            "name": call.name,
            "input": call.arguments,
        }
    return {
        "id": stamp.id("fc_", place),
        "type": "function_call",
        "status": "completed",
        "call_id": name,
        "name": call.name,
        "arguments": call.arguments,
    }


def usage_body(usage: Usage) -> dict[str, Any]:
    """Tokens as a body tells them."""
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": 0},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }
