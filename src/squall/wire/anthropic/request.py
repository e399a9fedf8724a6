"""The body of a request for a message, read and checked as Anthropic does it, in its order and its kind of words.

Raises `BadRequest`. Knows no reply, and nothing of whether the conversation holds together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from squall.call import BadRequest, Message, ModelRequest, ToolOffer
from squall.wire.anthropic import checks, threads
from squall.wire.anthropic.content import read_message, read_system
from squall.wire.anthropic.fields import CLIENTS, NAMELESS, TOOL

VERSION = re.compile(r"20\d\d-\d\d-\d\d")  # whichever a client was made for: nothing here depends on it
MOST_MESSAGES = 100_000
LEAST_THINKING = 1024
LONGEST_USER = 512
NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
CHOICES = {"auto": "auto", "any": "required", "none": "none"}
OPEN_SCHEMA = {"type": "object"}


def _metadata(value: Any, place: str) -> None:
    checks.mapping(value, place)
    checks.only(frozenset(("user_id",)), value, place)
    user = value.get("user_id")
    if user is not None:
        checks.text(user, f"{place}.user_id")
        if len(user) > LONGEST_USER:
            checks.refuse(f"{place}.user_id", f"the string must have at most {LONGEST_USER} characters")


def _thinking(value: Any, place: str) -> None:
    checks.typed("enabled", "disabled", "adaptive", "between_tools")(value, place)
    if value["type"] == "enabled":
        if "budget_tokens" not in value:
            checks.missing(f"{place}.enabled.budget_tokens")
        checks.whole(LEAST_THINKING)(value["budget_tokens"], f"{place}.enabled.budget_tokens")


def _schema(value: Any, place: str) -> None:
    checks.typed("json_schema")(value, place)
    if "schema" not in value:
        checks.missing(f"{place}.schema")
    checks.mapping(value["schema"], f"{place}.schema")


def _output(value: Any, place: str) -> None:
    checks.mapping(value, place)
    if value.get("format") is not None:
        _schema(value["format"], f"{place}.format")
    if value.get("effort") is not None:
        checks.one_of("low", "medium", "high", "xhigh", "max")(value["effort"], f"{place}.effort")


REQUIRED: Mapping[str, checks.Check] = {"model": checks.full_text, "messages": checks.array}
SHARED: Mapping[str, checks.Check] = {
    "billing_policy": checks.anything,
    "cache_control": checks.typed("ephemeral"),
    "compaction": checks.anything,
    "context_management": checks.mapping,
    "mcp_servers": checks.array,
    "mock_scope": checks.anything,  # ours: whose counters the faults of this request are counted with
    "output_config": _output,
    "output_format": _schema,
    "speed": checks.one_of("standard", "fast"),
    "system": checks.anything,  # read below, as is all that is left to `anything` and used
    "thinking": _thinking,
    "tool_choice": checks.typed(*CHOICES, "tool"),
    "tools": checks.array,
}
COUNTED: Mapping[str, checks.Check] = {**REQUIRED, **SHARED}
"""The fields of a request to count tokens; those that may be null are so without a check."""
ASKED: Mapping[str, checks.Check] = {
    **COUNTED,
    "container": checks.anything,
    "diagnostics": checks.mapping,
    "fallback_credit_token": checks.anything,
    "fallbacks": checks.anything,
    "inference_geo": checks.text,
    "max_tokens": checks.whole(0),
    "metadata": _metadata,
    "service_tier": checks.one_of("auto", "standard_only"),
    "stop_sequences": checks.texts,
    "stream": checks.boolean,
    "temperature": checks.between(0, 1),
    "thread": threads.check,
    "top_k": checks.whole(0),
    "top_p": checks.between(0, 1),
}
"""The fields of a request for a message."""
MUST = ("model", "messages")


def read(
    body: Mapping[str, Any], headers: Mapping[str, str], *, counting: bool = False, further: bool = False
) -> ModelRequest:
    """What a body asks for. `counting`: its tokens alone. `further`: there were messages before."""
    _version(headers)
    fields = COUNTED if counting else ASKED
    for name in MUST if counting else ("model", "max_tokens", "messages"):
        if name not in body:
            checks.missing(name)
    for name, value in body.items():
        check = fields.get(name)
        if check is None:
            checks.refuse(name, "there is no such field here, and none may be added")
        if value is not None or name in MUST or name == "max_tokens":
            check(value, name)
    tools = tuple(_offers(body["tools"])) if body.get("tools") else ()
    choice, parallel = _choice(body)
    limit = None if counting else int(body["max_tokens"])
    _budget(body, headers, limit)
    return ModelRequest(
        "messages",
        body["model"],
        _conversation(body, further=further),
        tools,
        choice,
        parallel,
        stream=bool(body.get("stream")),
        include_usage=True,
        stop=tuple(body.get("stop_sequences") or ()),
        max_tokens=limit,
        schema=_wanted(body),
        headers=headers,
        body=body,
    )


def _version(headers: Mapping[str, str]) -> None:
    version = headers.get("anthropic-version")
    if version is None:
        raise BadRequest("anthropic-version: this header is required")
    if not VERSION.fullmatch(version):
        raise BadRequest(f"anthropic-version: {version!r} is no version of this API, which is a date")


def _conversation(body: Mapping[str, Any], *, further: bool) -> tuple[Message, ...]:
    entries = body["messages"]
    if not entries and not further:
        checks.refuse("messages", "at least one message is required")
    if len(entries) > MOST_MESSAGES:
        checks.refuse("messages", f"there must be at most {MOST_MESSAGES} messages")
    messages: list[Message] = []
    prompt = body.get("system")
    if prompt is not None and (system := read_system(prompt)) is not None:
        messages.append(system)
    for number, entry in enumerate(entries):
        messages += read_message(entry, f"messages.{number}")
    return tuple(messages)


def _offers(tools: Sequence[Any]) -> list[ToolOffer]:
    offers: list[ToolOffer] = []
    names: set[str] = set()
    for number, tool in enumerate(tools):
        place = f"tools.{number}"
        checks.mapping(tool, place)
        kind = tool.get("type")
        if kind is not None:
            checks.text(kind, f"{place}.type")
            if kind.startswith(NAMELESS):
                continue
        name = tool.get("name")
        if name is None:
            checks.missing(f"{place}.name")
        checks.text(name, f"{place}.name")
        if NAME.fullmatch(name) is None:
            checks.refuse(f"{place}.name", f"{name!r} does not match '^{NAME.pattern}$'")
        if name in names:
            checks.refuse("tools", f"two tools have the name {name!r}")
        names.add(name)
        if kind is None or kind == "custom":
            offers.append(_custom(tool, name, place))
        elif kind.startswith(CLIENTS):
            offers.append(ToolOffer(name, schema=OPEN_SCHEMA))
    return offers


def _custom(tool: Mapping[str, Any], name: str, place: str) -> ToolOffer:
    if "input_schema" not in tool:
        checks.missing(f"{place}.custom.input_schema")
    schema = tool["input_schema"]
    checks.mapping(schema, f"{place}.custom.input_schema")
    if "type" not in schema:
        checks.missing(f"{place}.custom.input_schema.type")
    if schema["type"] != "object":
        checks.refuse(f"{place}.custom.input_schema.type", "expected 'object'")
    if not tool.keys() <= TOOL:
        checks.only(TOOL, tool, f"{place}.custom")
    description = tool.get("description") or ""
    checks.text(description, f"{place}.custom.description")
    return ToolOffer(name, description, schema, strict=bool(tool.get("strict")))


def _choice(body: Mapping[str, Any]) -> tuple[str, bool]:
    choice = body.get("tool_choice")
    if choice is None:
        return "auto", True
    kind = choice["type"]
    if not body.get("tools") and kind != "none":
        checks.refuse("tool_choice", "tools are chosen, and none are offered in `tools`")
    single = choice.get("disable_parallel_tool_use") or False
    checks.boolean(single, f"tool_choice.{kind}.disable_parallel_tool_use")
    if kind != "tool":
        return CHOICES[kind], not single
    if "name" not in choice:
        checks.missing("tool_choice.tool.name")
    name = choice["name"]
    checks.text(name, "tool_choice.tool.name")
    if not any(tool.get("name") == name for tool in body["tools"]):
        checks.refuse("tool_choice.tool.name", f"no tool of the name {name!r} is offered in `tools`")
    return name, not single


def _budget(body: Mapping[str, Any], headers: Mapping[str, str], limit: int | None) -> None:
    thinking = body.get("thinking")
    if limit is None or thinking is None or thinking["type"] != "enabled":
        return
    if limit <= thinking["budget_tokens"] and "interleaved-thinking" not in headers.get("anthropic-beta", ""):
        checks.refuse("max_tokens", "the number must be greater than `thinking.budget_tokens`")


def _wanted(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    form = (body.get("output_config") or {}).get("format") or body.get("output_format")
    return form["schema"] if form else None
