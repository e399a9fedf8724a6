"""Writes traces as plain chat messages, a conversation on each line: `id`, `model`, `tools`, `messages`.

A trace of several conversations makes several lines. What messages cannot hold, such as faults and the world's
effects, is not written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from squall.errors import Problem, UsageError
from squall.trace.formats.shapes import said_in_chat
from squall.trace.formats.steps import Reply
from squall.trace.formats.values import as_json, listed, mapped, unpacked
from squall.trace.formats.writing import IMPORTED, LEFT
from squall.trace.kinds import AgentFinal, Mark, ModelCall, ModelReply, ToolCall, ToolResult
from squall.trace.line import encode
from squall.trace.reader import Trace


def export_chat(traces: Iterable[Trace], path: str | Path) -> None:
    """Write runs into a file. Raises `UsageError` where it cannot be written."""
    try:
        with Path(path).open("wb") as file:
            for trace in traces:
                file.writelines(encode(line) + b"\n" for line in conversations(trace))
    except OSError as error:
        message = f"cannot write {str(path)!r}: {error.strerror or error}"
        raise UsageError(Problem(message, hint="Name a file in a folder that is there.")) from None


def conversations(trace: Trace) -> Iterator[dict[str, Any]]:
    """The conversations of a run: each ends with a request that no other one continues."""
    calls: dict[int, ModelCall] = {}
    replies: dict[int, ModelReply] = {}
    used: dict[int, list[Any]] = {}
    left: list[Any] = []
    about: dict[str, Any] = {}
    error = None
    for envelope, event in trace:
        about.setdefault("id", envelope.run)
        if isinstance(event, ModelCall):
            calls[event.call] = event
            used.clear()  # the next request tells what came of them
        elif isinstance(event, ModelReply):
            replies[event.call] = event
        elif isinstance(event, ToolCall):
            used[event.call] = [event, None]
        elif isinstance(event, ToolResult) and event.call in used:
            used[event.call][1] = event
        elif isinstance(event, Mark) and event.name == LEFT:
            left = listed(event.data.get("messages"))
        elif isinstance(event, Mark) and event.name == IMPORTED and isinstance(user := event.data.get("user"), str):
            about["user_id"] = user
        elif isinstance(event, AgentFinal):
            error = event.error or error
    if error is not None:
        about["error"] = error
    whole: dict[int, list[Any]] = {}
    tools: dict[int, Any] = {}
    for number, call in calls.items():
        whole[number] = whole.get(call.continues or 0, []) + listed(call.messages)
        tools[number] = tools.get(call.continues or 0) if call.tools is None else call.tools
    last = max(calls, default=0)
    for number in sorted(calls.keys() - {call.continues for call in calls.values()}):
        said = _said(calls[number].target, replies.get(number))
        end = [*_told(replies.get(number), list(used.values())), *left] if number == last else []
        line = {**about, "model": calls[number].model, "messages": whole[number] + said + end}
        yield line | ({"tools": tools[number]} if isinstance(tools[number], list) else {})


def _said(target: str, event: ModelReply | None) -> list[dict[str, Any]]:
    if event is None or (event.text is None and not event.calls):
        return []
    message = said_in_chat(Reply(text=event.text, calls=event.calls))
    if target == "model.messages":
        blocks = [] if event.text is None else [{"type": "text", "text": event.text}]
        uses = [
            {"type": "tool_use", "name": c["name"], "input": unpacked(c["arguments"]), "id": c.get("id")}
            for c in event.calls
        ]
        message = {"role": "assistant", "content": [*blocks, *uses]}
    if event.finish is not None:
        message["finish_reason"] = event.finish
    return [message | ({"usage": event.usage} if event.usage else {})]


def _told(reply: ModelReply | None, used: list[Any]) -> list[dict[str, Any]]:
    """Results of the last calls, which no request tells of."""
    waiting = list(reply.calls) if reply is not None else []
    messages = []
    for call, result in used:
        asked = next((each for each in waiting if each["name"] == call.tool), None)
        if asked is None or result is None:
            continue
        waiting.remove(asked)
        content = result.result if result.result is not None else result.error
        message = {"role": "tool", "tool_call_id": mapped(asked).get("id"), "content": as_json(content)}
        messages.append(message | ({} if result.ok else {"is_error": True}))
    return messages
