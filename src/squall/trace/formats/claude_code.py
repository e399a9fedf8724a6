"""Sessions of Claude Code: lines with `type`, `uuid`, `parentUuid` and `message`, whose blocks are Anthropic's.

What one reply says stands on several lines of one message id. A side chain (a sub-agent) is a conversation of its own.
"""

from __future__ import annotations

from typing import Any

import msgspec

from squall.trace.formats.records import Record
from squall.trace.formats.shapes import turns
from squall.trace.formats.steps import Asked, Imported, Step
from squall.trace.formats.values import mapped, text_or_none

NAME = "claude-code"
LOOKS_FOR = "sessions of Claude Code (`type`, `uuid`, `sessionId` and `message`)"


def looks(value: Any) -> bool:
    """Whether a line is what the user or the model said."""
    raw = mapped(value)
    return raw.get("type") in ("user", "assistant") and "uuid" in raw and isinstance(raw.get("message"), dict)


def key(record: Record) -> str | None:
    """The session of a line."""
    return str(mapped(record.value).get("sessionId"))


def read(values: list[Any]) -> list[Imported]:
    """The run of a session."""
    raws = [mapped(value) for value in values]
    chains: dict[str, list[dict[str, Any]]] = {}
    of: dict[str, str] = {}
    for raw in raws:
        own = str(raw.get("uuid"))
        chain = of.get(str(raw.get("parentUuid")), own) if raw.get("isSidechain") is True else ""
        of[own] = str(raw.get("agentId") or chain) if chain else ""
        chains.setdefault(of[own], []).append(raw)
    steps: list[Step] = []
    for lines in chains.values():
        steps += _moved(_steps(lines), len(steps))
    name = text_or_none(raws[0].get("sessionId")) or ""
    return [Imported(format=NAME, id=name, steps=steps)]


def _steps(chain: list[dict[str, Any]]) -> list[Step]:
    messages: list[dict[str, Any]] = []
    for raw in chain:
        message = {
            name: raw["message"][name]
            for name in ("role", "content", "id", "model", "stop_reason", "usage")
            if name in raw["message"]
        }
        message["role"] = raw["type"]
        last = messages[-1] if messages else {}
        if message["role"] == "assistant" and message.get("id") is not None and message.get("id") == last.get("id"):
            last.update({**message, "content": _blocks(last.get("content")) + _blocks(message.get("content"))})
        else:
            messages.append(message)
    return [_anthropic(step) for step in turns(messages)]


def _anthropic(step: Step) -> Step:
    return msgspec.structs.replace(step, target="model.messages") if isinstance(step, Asked) else step


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) else []


def _moved(steps: list[Step], by: int) -> list[Step]:
    """Steps that come after others."""
    return [
        msgspec.structs.replace(step, after=step.after + by)
        if isinstance(step, Asked) and step.after is not None
        else step
        for step in steps
    ]
