"""A chat completion's body, made from a reply."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from squall import canonical
from squall.call import ModelRequest, Reply, ToolUse, Usage
from squall.models import tokens
from squall.wire.dialect import Stamp
from squall.wire.openai import offers

FINISHES = {"refusal": "stop"}  # the provider has no word of its own for it
TIER = "default"


def whole(request: ModelRequest, reply: Reply, stamp: Stamp) -> dict[str, Any]:
    """The body: as many choices as were asked for, all alike but for the ids of their calls."""
    finish = finish_of(request, reply)
    choices = [
        {"index": index, "message": message(request, reply, stamp, index), "logprobs": None, "finish_reason": finish}
        for index in range(request.n)
    ]
    return {
        "id": stamp.id("chatcmpl-", 0),
        "object": "chat.completion",
        "created": stamp.created,
        "model": request.model,
        "choices": choices,
        "usage": usage_body(tokens.usage_of(request, reply)),
        "service_tier": TIER,
        "system_fingerprint": fingerprint(request.model),
    }


def message(request: ModelRequest, reply: Reply, stamp: Stamp, index: int = 0) -> dict[str, Any]:
    """What the assistant says in one choice."""
    said: dict[str, Any] = {
        "role": "assistant",
        "content": reply.text,
        "refusal": reply.refusal,
        "annotations": [],
    }
    if reply.calls:
        if by_functions(request):
            call = reply.calls[0]
            said["function_call"] = {"name": call.name, "arguments": call.arguments}
        else:
            free = offers.free(request.tools)
            said["tool_calls"] = [
                _call(name, call, free=call.name in free)
                for name, call in zip(call_ids(reply, stamp, index), reply.calls, strict=True)
            ]
    return said


def _call(name: str, call: ToolUse, *, free: bool) -> dict[str, Any]:
    """A call in a whole body. In streams the published schema knows no calls but those of functions."""
    if free:
        return {"id": name, "type": "custom", "custom": {"name": call.name, "input": call.arguments}}
    return {"id": name, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def call_ids(reply: Reply, stamp: Stamp, index: int) -> list[str]:
    """The ids of one choice's calls: their own, or else minted."""
    first = index * len(reply.calls)
    return [call.id or stamp.id("call_", first + place) for place, call in enumerate(reply.calls)]


def finish_of(request: ModelRequest, reply: Reply) -> str:
    """Why the model stopped, in the provider's word."""
    finish = reply.finish or ("tool_calls" if reply.calls else "stop")
    if finish == "tool_calls" and by_functions(request):
        return "function_call"
    return FINISHES.get(finish, finish)


def by_functions(request: ModelRequest) -> bool:
    """Whether the request is one of the time before tools, and gets its calls in that form."""
    return request.body.get("functions") is not None and request.body.get("tools") is None


def usage_body(usage: Usage) -> dict[str, Any]:
    """Tokens as a body tells them."""
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


@lru_cache(maxsize=256)
def fingerprint(model: str) -> str:
    """What the provider calls the state of its back end: here, of a model's name."""
    return f"fp_{canonical.digest(model)[:10]}"
