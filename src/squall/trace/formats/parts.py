"""Messages of requests as the GenAI conventions write them: a role, and parts. The way back is in `genai`."""

from __future__ import annotations

from typing import Any

from squall.trace.formats.shapes import calls_of
from squall.trace.formats.values import listed, mapped, unpacked

ITEM_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
ITEM_RESULTS = ("function_call_output", "custom_tool_call_output")


def in_parts(message: Any) -> dict[str, Any]:
    """A message in any of the shapes of steps. Each gives one, so that they can be counted."""
    raw = mapped(message)
    kind = raw.get("type")
    if isinstance(kind, str) and kind in ITEM_CALLS:
        part = _call(raw.get("name"), raw.get(ITEM_CALLS[kind]), raw.get("call_id"))
        return {"role": "assistant", "parts": [part]}
    if kind in ITEM_RESULTS:
        return {"role": "tool", "parts": [_result(raw.get("call_id"), raw.get("output"))]}
    role = raw.get("role") if isinstance(raw.get("role"), str) else "user"
    content = raw.get("content")
    if role == "tool":
        return {"role": role, "parts": [_result(raw.get("tool_call_id"), content)]}
    parts = [{"type": "text", "content": content}] if isinstance(content, str) else _of_blocks(content)
    if not any(part["type"] == "tool_call" for part in parts):
        parts += [_call(call["name"], call["arguments"], call.get("id")) for call in calls_of(raw)]
    return {"role": role, "parts": parts}


def said(text: str | None, calls: list[dict[str, Any]], finish: str | None) -> list[dict[str, Any]]:
    """A reply as the only message of an output."""
    parts = [] if text is None else [{"type": "text", "content": text}]
    parts += [_call(call.get("name"), call.get("arguments"), call.get("id")) for call in calls]
    return [{"role": "assistant", "parts": parts, **({} if finish is None else {"finish_reason": finish})}]


def _of_blocks(content: Any) -> list[dict[str, Any]]:
    parts = []
    for block in listed(content):
        kind = block.get("type")
        if kind == "tool_use":
            parts.append(_call(block.get("name"), block.get("input"), block.get("id")))
        elif kind == "tool_result":
            parts.append(_result(block.get("tool_use_id"), block.get("content")))
        elif kind == "thinking":
            parts.append({"type": "reasoning", "content": block.get("thinking")})
        elif isinstance(block.get("text"), str):
            parts.append({"type": "text", "content": block["text"]})
        else:
            parts.append({**block, "type": kind if isinstance(kind, str) else "unknown"})
    return parts


def _call(name: Any, arguments: Any, call_id: Any) -> dict[str, Any]:
    part = {"type": "tool_call", "name": name, "arguments": unpacked(arguments)}
    return part if call_id is None else {**part, "id": call_id}


def _result(call_id: Any, content: Any) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": call_id, "response": unpacked(content)}
