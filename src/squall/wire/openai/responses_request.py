"""A request for a response, read from its body and checked as the provider checks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from squall.call import BadRequest, Message, ModelRequest
from squall.wire.openai import fields, formats, refusals, responses_items, responses_tools

LEAST_TOKENS = 16
TIERS = ("auto", "default", "flex", "scale", "priority", "fast", "ultrafast")
CONTEXT = ("input", "previous_response_id", "prompt", "conversation")
ABOVE = "instructions"
"""The place of what stands above a conversation, and is not carried on with it."""


def _conversation(value: Any, param: str) -> None:
    """The id of a conversation, or an object that holds it."""
    if isinstance(value, dict):
        fields.required_string(value, "id", f"{param}.id")
    elif not isinstance(value, str):
        raise refusals.wrong_type(param, "a string or an object", value)


FIELDS: fields.Table = {
    "model": fields.string,
    "input": fields.anything,
    "instructions": fields.anything,
    "stream": fields.boolean,
    "stream_options": fields.mapping,
    "tools": fields.anything,
    "tool_choice": fields.anything,
    "parallel_tool_calls": fields.boolean,
    "max_tool_calls": fields.integer(0),
    "max_output_tokens": fields.integer(LEAST_TOKENS),
    "temperature": fields.number(0, 2),
    "top_p": fields.number(0, 1),
    "top_logprobs": fields.integer(0, 20),
    "text": fields.mapping,
    "reasoning": fields.mapping,
    "previous_response_id": fields.string,
    "conversation": _conversation,
    "prompt": fields.mapping,
    "store": fields.boolean,
    "background": fields.boolean,
    "background_options": fields.mapping,
    "include": fields.list_of(fields.string),
    "truncation": fields.one_of("auto", "disabled"),
    "context_management": fields.list_of(fields.mapping),
    "metadata": fields.metadata,
    "user": fields.string,
    "safety_identifier": fields.text(most=64),
    "prompt_cache_key": fields.string,
    "prompt_cache_retention": fields.anything,
    "prompt_cache_options": fields.mapping,
    "service_tier": fields.one_of(*TIERS),
    "moderation": fields.mapping,
    "access_programs": fields.mapping,
    "image": fields.mapping,
    "mock_scope": fields.anything,  # squall's own: whose counters the request belongs to
}
"""Every field that the endpoint accepts. Those that squall acts on are looked at below."""

COUNTED: fields.Table = {
    **{name: FIELDS[name] for name in (*CONTEXT[:2], "conversation", "instructions", "model", "parallel_tool_calls")},
    **{name: FIELDS[name] for name in ("reasoning", "text", "tool_choice", "tools", "truncation", "mock_scope")},
    "personality": fields.string,
}
"""Those of the endpoint that only counts tokens."""


class Past(Protocol):
    """What the provider has kept of earlier responses."""

    def messages(self, name: str) -> tuple[Message, ...]:
        """The conversation up to and with a response."""
        ...

    def item(self, name: str) -> Mapping[str, Any]:
        """An item of an earlier response."""
        ...


def read(body: Mapping[str, Any], headers: Mapping[str, str], past: Past) -> ModelRequest:
    """The request in a body. Raises `BadRequest`."""
    model = _model(body)
    fields.all_of(body, FIELDS)
    if all(body.get(name) is None for name in CONTEXT):
        raise refusals.missing("input")
    stream = body.get("stream") is True
    _stream_options(body)
    if body.get("background") is True and body.get("store") is False:
        raise refusals.invalid("Invalid 'background': it needs 'store' to be true.", "background")
    return _asked(body, headers, past, model, stream=stream)


def counted(body: Mapping[str, Any], past: Past) -> ModelRequest:
    """A request of which only the tokens are to be counted."""
    fields.all_of(body, COUNTED)
    return _asked(body, {}, past, body.get("model") or "", stream=False)


def _asked(
    body: Mapping[str, Any], headers: Mapping[str, str], past: Past, model: str, *, stream: bool
) -> ModelRequest:
    messages = (*_instructions(body), *_before(body, past), *responses_items.read(body, past.item))
    choice, tools = responses_tools.chosen(body, responses_tools.read(body))
    return ModelRequest(
        endpoint="responses",
        model=model,
        messages=messages,
        tools=tools,
        tool_choice=choice,
        parallel=body.get("parallel_tool_calls") is not False,
        stream=stream,
        max_tokens=body.get("max_output_tokens"),
        schema=_schema(body, messages),
        headers=headers,
        body=body,
    )


def _model(body: Mapping[str, Any]) -> str:
    """A prompt that the provider has stored names its model itself; here it stands for one."""
    prompt = body.get("prompt")
    if body.get("model") is None and isinstance(prompt, dict):
        return fields.required_string(prompt, "id", "prompt.id")
    return fields.model_of(body)


def _stream_options(body: Mapping[str, Any]) -> None:
    options = body.get("stream_options")
    if options is None:
        return
    if options.get("include_obfuscation") is not None:
        fields.boolean(options["include_obfuscation"], "stream_options.include_obfuscation")
    if body.get("stream") is None:  # beside an explicit false the SDK's own tests send them
        raise refusals.invalid("Invalid 'stream_options': they need 'stream' to be true.", "stream_options")


def _instructions(body: Mapping[str, Any]) -> tuple[Message, ...]:
    given = body.get("instructions")
    if given is None:
        return ()
    fields.string(given, ABOVE)
    return (Message("system", given, place=ABOVE),)


def _before(body: Mapping[str, Any], past: Past) -> tuple[Message, ...]:
    name = body.get("previous_response_id")
    if name is None:
        return ()
    if body.get("conversation") is not None:
        message = "A request goes on with either 'previous_response_id' or 'conversation', not with both."
        raise refusals.invalid(message, "previous_response_id", "mutually_exclusive_parameters")
    return past.messages(name)


def _schema(body: Mapping[str, Any], messages: tuple[Message, ...]) -> Mapping[str, Any] | None:
    text = body.get("text")
    if text is None:
        return None
    if text.get("verbosity") is not None:
        fields.one_of("low", "medium", "high")(text["verbosity"], "text.verbosity")
    form = text.get("format")
    schema = formats.schema_of(form, "text.format", nested=False)
    if schema is not None and form["type"] == "json_object" and not any("json" in m.text.lower() for m in messages):
        raise BadRequest(
            "With a 'text.format' of type 'json_object', the word 'json' has to be somewhere in 'input'.", param="input"
        )
    return schema
