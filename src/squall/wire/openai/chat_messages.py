"""The messages of a chat, read from a body. Whether they follow each other as they should is not judged here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from squall.call import Message, ToolUse
from squall.wire.openai import content, fields, refusals

NAME = re.compile(r"[^\s<|\\/>]{1,64}")
ID_LENGTH = 40
MOST = 2048


def read(body: Mapping[str, Any]) -> tuple[Message, ...]:
    """All messages of a body, each with its place."""
    messages: list[Message] = []
    raws = fields.required_array(body, "messages", "messages")
    if len(raws) > MOST:
        raise refusals.too_long("messages", "array", len(raws), MOST)
    for place, raw in enumerate(raws):
        where = f"messages[{place}]"
        if not isinstance(raw, dict):
            raise refusals.wrong_type(where, "an object", raw)
        role = fields.required_string(raw, "role", f"{where}.role")
        reader = ROLES.get(role)
        if reader is None:
            raise refusals.not_one_of(f"{where}.role", role, ROLES)
        name = raw.get("name")
        if name is not None:
            fields.string(name, f"{where}.name")
            if not NAME.fullmatch(name):
                raise refusals.not_matching(f"{where}.name", NAME.pattern)
        messages.append(reader(raw, where, f"messages.{place}", messages))
    return tuple(messages)


Reader = Callable[[Mapping[str, Any], str, str, list[Message]], Message]
"""Takes a message as it came, its place in words and for `Message.place`, and the messages before it."""


def _system(raw: Mapping[str, Any], where: str, place: str, _before: list[Message]) -> Message:
    text, parts = content.read(_required_content(raw, where), f"{where}.content", content.TEXT)
    return Message("system", text, parts=parts, place=place)


def _user(raw: Mapping[str, Any], where: str, place: str, _before: list[Message]) -> Message:
    text, parts = content.read(_required_content(raw, where), f"{where}.content", content.SPOKEN_TO)
    return Message("user", text, parts=parts, place=place)


def _assistant(raw: Mapping[str, Any], where: str, place: str, before: list[Message]) -> Message:
    text, parts = content.read(raw.get("content"), f"{where}.content", content.SAID)
    said_no = raw.get("refusal")
    if said_no is not None:
        fields.string(said_no, f"{where}.refusal")
        text, parts = text or said_no, parts or 1
    calls: tuple[ToolUse, ...] = ()
    if raw.get("tool_calls") is not None:
        calls = _calls(raw, f"{where}.tool_calls")
    elif raw.get("function_call") is not None:
        call = fields.required_mapping(raw, "function_call", f"{where}.function_call")
        calls = (_function(call, f"{where}.function_call", _function_id(before)),)
    return Message("assistant", text, calls, parts=parts, place=place)


def _tool(raw: Mapping[str, Any], where: str, place: str, _before: list[Message]) -> Message:
    answers = fields.required_string(raw, "tool_call_id", f"{where}.tool_call_id")
    text, parts = content.read(_required_content(raw, where), f"{where}.content", content.TEXT)
    return Message("tool", text, answers=answers, parts=parts, place=place)


def _function_result(raw: Mapping[str, Any], where: str, place: str, before: list[Message]) -> Message:
    """A result of the time before tools: it answers the call just before it, by name."""
    fields.required_string(raw, "name", f"{where}.name")
    if "content" not in raw:
        raise refusals.missing(f"{where}.content")
    text, parts = content.read(raw["content"], f"{where}.content", content.TEXT)
    asked = next((message.calls[-1].id for message in reversed(before) if message.calls), None)
    return Message("tool", text, answers=asked, parts=parts, place=place)


ROLES: Mapping[str, Reader] = {
    "system": _system,
    "developer": _system,
    "user": _user,
    "assistant": _assistant,
    "tool": _tool,
    "function": _function_result,
}


def _required_content(raw: Mapping[str, Any], where: str) -> Any:
    found = raw.get("content")
    if found is None:
        if "content" not in raw:
            raise refusals.missing(f"{where}.content")
        raise refusals.wrong_type(f"{where}.content", "a string or an array of parts", None)
    return found


def _calls(raw: Mapping[str, Any], param: str) -> tuple[ToolUse, ...]:
    calls = []
    for place, call in enumerate(fields.required_array(raw, "tool_calls", param)):
        where = f"{param}[{place}]"
        fields.mapping(call, where)
        name = fields.required_string(call, "id", f"{where}.id")
        if len(name) > ID_LENGTH:
            raise refusals.too_long(f"{where}.id", "string", len(name), ID_LENGTH)
        kind = fields.required_string(call, "type", f"{where}.type")
        if kind == "function":
            function = fields.required_mapping(call, "function", f"{where}.function")
            calls.append(_function(function, f"{where}.function", name))
        elif kind == "custom":
            custom = fields.required_mapping(call, "custom", f"{where}.custom")
            called = fields.required_string(custom, "name", f"{where}.custom.name")
            calls.append(ToolUse(called, fields.required_string(custom, "input", f"{where}.custom.input"), name))
        else:
            raise refusals.not_one_of(f"{where}.type", kind, ("function", "custom"))
    return tuple(calls)


def _function(call: Mapping[str, Any], where: str, name: str) -> ToolUse:
    return ToolUse(
        fields.required_string(call, "name", f"{where}.name"),
        fields.required_string(call, "arguments", f"{where}.arguments"),
        name,
    )


def _function_id(before: list[Message]) -> str:
    """Calls of functions had no ids; each gets its own, so that they pair like those of tools."""
    return f"function_call_{len(before)}"
