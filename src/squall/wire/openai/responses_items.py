"""The items of a response's input, read as messages.

What an assistant says and calls stands in items of their own here; those that follow each other are one message. Items
of tools that run at the provider are accepted and left out. Whether the order makes sense is not judged here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from squall.call import Message, ToolUse
from squall.wire.openai import content, fields, refusals

CALL_ID_LENGTH = 64
HOSTED = frozenset(
    "additional_tools apply_patch_call apply_patch_call_output code_interpreter_call compaction compaction_trigger "
    "computer_call computer_call_output configuration_update file_search_call image_generation_call local_shell_call "
    "local_shell_call_output mcp_approval_request mcp_approval_response mcp_call mcp_list_tools program program_output "
    "reasoning shell_call shell_call_output tool_search_call tool_search_output web_search_call".split()
)
ROLES = ("user", "assistant", "system", "developer")

Find = Callable[[str], Mapping[str, Any]]
"""Gives an item that the provider has kept, by its id. Raises `BadRequest` where there is none."""


def read(body: Mapping[str, Any], find: Find) -> tuple[Message, ...]:
    """The messages in a body's `input`, none if there is no such field."""
    given = body.get("input")
    if given is None:
        return ()
    if isinstance(given, str):
        return (Message("user", given, place="input"),)
    if not isinstance(given, list):
        raise refusals.wrong_type("input", "a string or an array of items", given)
    messages: list[Message] = []
    for place, item in enumerate(given):
        found = _item(item, f"input[{place}]", f"input.{place}", find)
        if found is None:
            continue
        if found.role == "assistant" and messages and messages[-1].role == "assistant":
            messages[-1] = _joined(messages[-1], found)
        else:
            messages.append(found)
    return tuple(messages)


def of_output(output: list[dict[str, Any]], place: str) -> Message | None:
    """What a model has answered, as the message that the next request finds before it."""
    found: Message | None = None
    for item in output:
        message = _item(item, "output", place, _nothing)
        if message is not None:
            found = message if found is None else _joined(found, message)
    return found


def _item(item: Any, where: str, place: str, find: Find) -> Message | None:
    fields.mapping(item, where)
    kind = item.get("type")
    for name in ("type", "id"):
        if item.get(name) is not None:
            fields.string(item[name], f"{where}.{name}")
    if kind is None:
        kind = "message" if "role" in item else "item_reference"
    if kind == "item_reference":
        item = find(fields.required_string(item, "id", f"{where}.id"))
        kind = item["type"]
    if kind == "message":
        return _message(item, where, place)
    if kind in CALLS:
        call = ToolUse(
            fields.required_string(item, "name", f"{where}.name"),
            fields.required_string(item, CALLS[kind], f"{where}.{CALLS[kind]}"),
            _call_id(item, where),
        )
        return Message("assistant", calls=(call,), parts=0, place=place)
    if kind in RESULTS:
        answers = _call_id(item, where)
        if item.get("output") is None:
            raise refusals.missing(f"{where}.output")
        text, parts = content.read(item["output"], f"{where}.output", ASKED)
        return Message("tool", text, answers=answers, parts=parts, place=place)
    if kind not in HOSTED:
        raise refusals.not_one_of(f"{where}.type", kind, ("message", *CALLS, *RESULTS, *sorted(HOSTED)))
    return None


def _message(item: Mapping[str, Any], where: str, place: str) -> Message:
    role = fields.required_string(item, "role", f"{where}.role")
    if role not in ROLES:
        raise refusals.not_one_of(f"{where}.role", role, ROLES)
    if item.get("content") is None:
        raise refusals.missing(f"{where}.content")
    if role == "assistant":
        text, parts = content.read(item["content"], f"{where}.content", ANSWERED)
        return Message("assistant", text, parts=parts, place=place)
    text, parts = content.read(item["content"], f"{where}.content", ASKED)
    return Message("user" if role == "user" else "system", text, parts=parts, place=place)


def _call_id(item: Mapping[str, Any], where: str) -> str:
    name = fields.required_string(item, "call_id", f"{where}.call_id")
    if not name:
        raise refusals.empty(f"{where}.call_id", "string")
    if len(name) > CALL_ID_LENGTH:
        raise refusals.too_long(f"{where}.call_id", "string", len(name), CALL_ID_LENGTH)
    return name


def _joined(first: Message, second: Message) -> Message:
    text = f"{first.text}\n{second.text}" if first.text and second.text else first.text or second.text
    return msgspec.structs.replace(first, text=text, calls=first.calls + second.calls, parts=first.parts + second.parts)


def _nothing(name: str) -> Mapping[str, Any]:
    raise refusals.not_found(f"There is no item '{name}' here.", "input")


def _input_image(part: Mapping[str, Any], where: str) -> None:
    for name in ("image_url", "file_id"):
        if part.get(name) is not None:
            fields.string(part[name], f"{where}.{name}")
    if part.get("detail") is not None:
        fields.one_of(*content.DETAILS)(part["detail"], f"{where}.detail")


def _taken(part: Mapping[str, Any], where: str) -> None:
    """A part that has no text here."""


CALLS: Mapping[str, str] = {"function_call": "arguments", "custom_tool_call": "input"}
RESULTS = ("function_call_output", "custom_tool_call_output")
ASKED: Mapping[str, content.Read] = {
    "input_text": content.text,
    "input_image": _input_image,
    "input_file": _taken,
    "input_audio": _taken,
}
ANSWERED: Mapping[str, content.Read] = {"output_text": content.text, "refusal": content.refusal}
