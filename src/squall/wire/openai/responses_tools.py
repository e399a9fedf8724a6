"""The tools of a request for a response: functions and custom tools are offered, those of the provider are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squall.call import ToolOffer
from squall.wire.openai import fields, offers, refusals, strictness

HOSTED = frozenset(
    "apply_patch code_interpreter computer computer_use computer_use_preview file_search image_generation local_shell "
    "mcp namespace programmatic_tool_calling shell tool_search web_search web_search_2025_08_26 web_search_preview "
    "web_search_preview_2025_03_11".split()
)
KINDS = ("function", "custom", *sorted(HOSTED))


def read(body: Mapping[str, Any]) -> tuple[ToolOffer, ...]:
    """The tools that the model may call itself."""
    raws = body.get("tools")
    if raws is None:
        return ()
    fields.array(raws, "tools")
    if len(raws) > offers.MOST_TOOLS:
        raise refusals.too_long("tools", "array", len(raws), offers.MOST_TOOLS)
    found = []
    for place, raw in enumerate(raws):
        where = f"tools[{place}]"
        fields.mapping(raw, where)
        kind = fields.required_string(raw, "type", f"{where}.type")
        if kind == "function":
            found.append(offers.function(raw, where))
        elif kind == "custom":
            found.append(offers.custom(raw, where))
        elif kind not in HOSTED:
            raise refusals.not_one_of(f"{where}.type", kind, KINDS)
    return tuple(found)


def chosen(body: Mapping[str, Any], tools: Sequence[ToolOffer]) -> tuple[str, tuple[ToolOffer, ...]]:
    """Which tool is to be called (see `ModelRequest.tool_choice`), and those that may be."""
    choice = body.get("tool_choice")
    if choice is None or isinstance(choice, str):
        return offers.mode(choice, "tool_choice"), tuple(tools)
    fields.mapping(choice, "tool_choice")
    kind = fields.required_string(choice, "type", "tool_choice.type")
    if kind in {"function", "custom"}:
        return offers.among(fields.required_string(choice, "name", "tool_choice.name"), tools), tuple(tools)
    if kind == "allowed_tools":
        return offers.narrowed(choice, "tool_choice", tools)
    if kind not in HOSTED:
        raise refusals.not_one_of("tool_choice.type", kind, (*KINDS, "allowed_tools"))
    return "auto", tuple(tools)


def echoed(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tools as a response's body tells them: with whether they are strict, which is so wherever it can be."""
    return [_echo(raw) if raw["type"] == "function" else raw for raw in body.get("tools") or ()]


def _echo(raw: Mapping[str, Any]) -> dict[str, Any]:
    schema, strict = raw.get("parameters"), raw.get("strict")
    if strict is None:
        strict = schema is not None and next(strictness.objections(schema), None) is None
    return {"description": None, **raw, "parameters": schema, "strict": strict}
