"""The tools that a request offers, and which of them the model may or must call. Shared by chat and responses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from squall.call import ToolOffer
from squall.wire.openai import fields, refusals, strictness

NAME = re.compile(r"[a-zA-Z0-9_-]+")
NAME_LENGTH = 64
MOST_TOOLS = 128
MODES = ("none", "auto", "required")
NOTHING: Mapping[str, Any] = {"type": "object", "properties": {}}
FREE_TEXT: Mapping[str, Any] = {"type": "string"}  # a custom tool takes text, not JSON


def function(raw: Mapping[str, Any], where: str, code: str = "invalid_function_parameters") -> ToolOffer:
    """A function with its name, description and schema, `strict` or not."""
    name = named(raw, f"{where}.name")
    description = raw.get("description")
    if description is not None:
        fields.string(description, f"{where}.description")
    schema = raw.get("parameters")
    strict = raw.get("strict")
    if strict is not None:
        fields.boolean(strict, f"{where}.strict")
    if schema is None:
        return ToolOffer(name, description or "", NOTHING, bool(strict))
    fields.mapping(schema, f"{where}.parameters")
    check_schema(schema, f"{where}.parameters", f"function '{name}'", code, strict=bool(strict))
    return ToolOffer(name, description or "", schema, bool(strict))


def custom(raw: Mapping[str, Any], where: str) -> ToolOffer:
    """A tool that takes plain text."""
    return ToolOffer(named(raw, f"{where}.name"), raw.get("description") or "", FREE_TEXT)


def named(raw: Mapping[str, Any], param: str) -> str:
    """A name as tools and formats have them."""
    name = fields.required_string(raw, "name", param)
    if len(name) > NAME_LENGTH:
        raise refusals.too_long(param, "string", len(name), NAME_LENGTH)
    if not NAME.fullmatch(name):
        raise refusals.not_matching(param, f"^{NAME.pattern}$")
    return name


def check_schema(schema: Mapping[str, Any], param: str, owner: str, code: str | None, *, strict: bool) -> None:
    """Refuses a schema that is not of an object, or not as `strict` wants it."""
    kind = schema.get("type", "object")
    if kind != "object":
        raise refusals.invalid(
            f"Invalid schema for {owner}: its type has to be \"object\", and is '{kind}'.", param, code
        )
    if strict:
        for objection in strictness.objections(schema):
            raise refusals.invalid(f"Invalid schema for {owner}: {objection}", param, code)


def free(tools: Sequence[ToolOffer]) -> frozenset[str]:
    """The names of tools that take plain text."""
    return frozenset(tool.name for tool in tools if tool.schema is FREE_TEXT)


def in_chat(body: Mapping[str, Any]) -> tuple[ToolOffer, ...]:
    """The tools of a chat, or its functions of the time before tools."""
    if body.get("tools") is not None:
        return tuple(_tool(raw, f"tools[{place}]") for place, raw in enumerate(_listed(body, "tools")))
    if body.get("functions") is not None:
        offers = []
        for place, raw in enumerate(_listed(body, "functions")):
            fields.mapping(raw, f"functions[{place}]")
            offers.append(function(raw, f"functions[{place}]"))
        return tuple(offers)
    return ()


def chosen_in_chat(body: Mapping[str, Any], tools: Sequence[ToolOffer]) -> tuple[str, tuple[ToolOffer, ...]]:
    """Which tool is to be called (see `ModelRequest.tool_choice`), and those that may be."""
    choice = body.get("tool_choice")
    if body.get("tools") is None:
        for name in ("tool_choice", "parallel_tool_calls"):
            if body.get(name) is not None:
                raise refusals.invalid(f"Invalid '{name}': it can be given only where 'tools' are.", name)
        return _function_choice(body, tools), tuple(tools)
    if choice is None or isinstance(choice, str):
        return mode(choice, "tool_choice"), tuple(tools)
    fields.mapping(choice, "tool_choice")
    kind = fields.required_string(choice, "type", "tool_choice.type")
    if kind in {"function", "custom"}:
        inner = fields.required_mapping(choice, kind, f"tool_choice.{kind}")
        return among(fields.required_string(inner, "name", f"tool_choice.{kind}.name"), tools), tuple(tools)
    if kind == "allowed_tools":
        allowed = fields.required_mapping(choice, kind, f"tool_choice.{kind}")
        return narrowed(allowed, f"tool_choice.{kind}", tools)
    raise refusals.not_one_of("tool_choice.type", kind, ("function", "custom", "allowed_tools"))


def mode(choice: str | None, param: str) -> str:
    """A choice that is a word."""
    if choice is not None and choice not in MODES:
        raise refusals.not_one_of(param, choice, MODES)
    return choice or "auto"


def among(name: str, tools: Sequence[ToolOffer], param: str = "tool_choice") -> str:
    """The name of a tool that has to be one of those offered."""
    if all(tool.name != name for tool in tools):
        raise refusals.invalid(f"Invalid '{param}': no tool named '{name}' is among those offered.", param)
    return name


def narrowed(allowed: Mapping[str, Any], param: str, tools: Sequence[ToolOffer]) -> tuple[str, tuple[ToolOffer, ...]]:
    """A choice that allows some of the tools."""
    word = mode(fields.required_string(allowed, "mode", f"{param}.mode"), f"{param}.mode")
    names = set()
    for place, raw in enumerate(fields.required_array(allowed, "tools", f"{param}.tools")):
        fields.mapping(raw, f"{param}.tools[{place}]")
        holder = next((raw[kind] for kind in ("function", "custom") if isinstance(raw.get(kind), dict)), raw)
        if isinstance(holder.get("name"), str):  # tools of the provider have none
            names.add(holder["name"])
    return word, tuple(tool for tool in tools if tool.name in names)


def _function_choice(body: Mapping[str, Any], tools: Sequence[ToolOffer]) -> str:
    choice = body.get("function_call")
    if choice is None:
        return "auto"
    if body.get("functions") is None:
        raise refusals.invalid("Invalid 'function_call': it can be given only where 'functions' are.", "function_call")
    if isinstance(choice, str):
        if choice not in {"none", "auto"}:
            raise refusals.not_one_of("function_call", choice, ("none", "auto"))
        return choice
    fields.mapping(choice, "function_call")
    return among(fields.required_string(choice, "name", "function_call.name"), tools, "function_call")


def _listed(body: Mapping[str, Any], name: str) -> list[Any]:
    found = fields.required_array(body, name, name)
    if len(found) > MOST_TOOLS:
        raise refusals.too_long(name, "array", len(found), MOST_TOOLS)
    return found


def _tool(raw: Any, where: str) -> ToolOffer:
    fields.mapping(raw, where)
    kind = fields.required_string(raw, "type", f"{where}.type")
    if kind == "function":
        return function(fields.required_mapping(raw, kind, f"{where}.{kind}"), f"{where}.{kind}")
    if kind == "custom":
        return custom(fields.required_mapping(raw, kind, f"{where}.{kind}"), f"{where}.{kind}")
    raise refusals.not_one_of(f"{where}.type", kind, ("function", "custom"))
