"""A request for a chat completion, read from its body and checked as the provider checks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call import BadRequest, Message, ModelRequest
from squall.wire.openai import chat_messages, fields, formats, offers, refusals

TIERS = ("auto", "default", "flex", "scale", "priority", "fast")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
STOPS = 4
INT64 = 2**63

FIELDS: fields.Table = {
    "model": fields.anything,
    "messages": fields.anything,
    "stream": fields.boolean,
    "stream_options": fields.mapping,
    "n": fields.integer(1, 128),
    "max_tokens": fields.integer(0),
    "max_completion_tokens": fields.integer(0),
    "stop": fields.anything,
    "temperature": fields.number(0, 2),
    "top_p": fields.number(0, 1),
    "frequency_penalty": fields.number(-2, 2),
    "presence_penalty": fields.number(-2, 2),
    "seed": fields.integer(-INT64, INT64 - 1),
    "logit_bias": fields.mapping,
    "logprobs": fields.boolean,
    "top_logprobs": fields.integer(0, 20),
    "tools": fields.anything,
    "tool_choice": fields.anything,
    "parallel_tool_calls": fields.boolean,
    "functions": fields.anything,
    "function_call": fields.anything,
    "response_format": fields.anything,
    "store": fields.boolean,
    "metadata": fields.metadata,
    "user": fields.string,
    "safety_identifier": fields.text(most=64),
    "prompt_cache_key": fields.string,
    "prompt_cache_retention": fields.anything,
    "prompt_cache_options": fields.mapping,
    "service_tier": fields.one_of(*TIERS),
    "reasoning_effort": fields.one_of(*EFFORTS),
    "verbosity": fields.one_of("low", "medium", "high"),
    "modalities": fields.list_of(fields.one_of("text", "audio")),
    "audio": fields.mapping,
    "prediction": fields.mapping,
    "web_search_options": fields.mapping,
    "moderation": fields.mapping,
    "mock_scope": fields.anything,  # squall's own: whose counters the request belongs to
}
"""Every field that the endpoint accepts. Those that squall acts on are looked at below."""


def read(body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
    """The request in a body. Raises `BadRequest`."""
    model = fields.model_of(body)
    messages = chat_messages.read(body)
    fields.all_of(body, FIELDS)
    offered = offers.in_chat(body)
    choice, tools = offers.chosen_in_chat(body, offered)
    stream = body.get("stream") is True
    limit = body.get("max_completion_tokens")
    parallel = body.get("parallel_tool_calls")
    if body.get("top_logprobs") is not None and not body.get("logprobs"):
        raise refusals.invalid("Invalid 'top_logprobs': it needs 'logprobs' to be true.", "top_logprobs")
    return ModelRequest(
        endpoint="chat",
        model=model,
        messages=messages,
        tools=tools,
        tool_choice=choice,
        parallel=parallel is not False,
        stream=stream,
        include_usage=_include_usage(body, stream=stream),
        n=body.get("n") or 1,
        stop=_stops(body.get("stop")),
        max_tokens=body.get("max_tokens") if limit is None else limit,
        schema=_schema(body.get("response_format"), messages),
        headers=headers,
        body=body,
    )


def _include_usage(body: Mapping[str, Any], *, stream: bool) -> bool:
    options = body.get("stream_options")
    if options is None:
        return False
    for name in ("include_usage", "include_obfuscation"):
        if options.get(name) is not None:
            fields.boolean(options[name], f"stream_options.{name}")
    # The SDK's own tests send options beside an explicit `"stream": false`, so only a request that says nothing of
    # streams is refused.
    if body.get("stream") is None:
        raise refusals.invalid("Invalid 'stream_options': they need 'stream' to be true.", "stream_options")
    return stream and options.get("include_usage") is True


def _stops(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise refusals.wrong_type("stop", "a string or an array of strings", value)
    if len(value) > STOPS:
        raise refusals.too_long("stop", "array", len(value), STOPS)
    for place, text in enumerate(value):
        fields.string(text, f"stop[{place}]")
    return tuple(value)


def _schema(raw: Any, messages: tuple[Message, ...]) -> Mapping[str, Any] | None:
    schema = formats.schema_of(raw, "response_format", nested=True)
    if schema is not None and raw["type"] == "json_object" and not any("json" in m.text.lower() for m in messages):
        raise BadRequest(
            "With a 'response_format' of type 'json_object', the word 'json' has to be somewhere in 'messages'.",
            param="messages",
        )
    return schema
