"""Chat completions: all calls of an assistant are answered by the tool messages right after it, in any order.

An assistant says something or calls something; a content that is there is not an empty list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from squall.call import BadRequest, Message

Ids = dict[str | None, None]
"""Ids of calls, in order."""


def check(messages: Sequence[Message]) -> None:
    """Raise `BadRequest` at the first message that breaks the rules."""
    seen: set[str | None] = set()
    waiting: Ids = {}
    asking: Message | None = None  # the assistant whose calls are being answered
    for message in messages:
        if message.role == "tool":
            _answered(message, asking, waiting)
            continue
        if waiting:
            _unanswered(message, waiting)
        asking = None
        if message.calls:
            asking, waiting = message, _asked(message, seen)
        elif not message.parts:
            _refuse(message, "content", "a message needs content, and this one has none")
    if waiting:
        _unanswered(messages[-1], waiting)


def _asked(message: Message, seen: set[str | None]) -> Ids:
    waiting: Ids = {}
    for call in message.calls:
        if call.id in seen:
            _refuse(message, "tool_calls", f"the id '{call.id}' has been used for another tool call in 'messages'")
        seen.add(call.id)
        waiting[call.id] = None
    return waiting


def _answered(message: Message, asking: Message | None, waiting: Ids) -> None:
    if asking is None:
        _refuse(message, "role", "a message with the role 'tool' has to answer 'tool_calls' of a message before it")
    if message.answers not in waiting:
        twice = any(call.id == message.answers for call in asking.calls)
        why = "has been answered already" if twice else "is not among the 'tool_calls' of the message before"
        _refuse(message, "tool_call_id", f"the 'tool_call_id' '{message.answers}' {why}")
    if not message.parts:
        _refuse(message, "content", "a message needs content, and this one has none")
    del waiting[message.answers]


def _unanswered(message: Message, waiting: Ids) -> NoReturn:
    what = "the 'tool_calls' of an assistant have to be followed by one tool message for each 'tool_call_id'"
    _refuse(message, "role", f"{what}; these have none: {', '.join(map(str, waiting))}")


def _refuse(message: Message, field: str, what: str) -> NoReturn:
    at = f"messages.[{message.place.rpartition('.')[2]}].{field}"
    raise BadRequest(f"Invalid parameter: {what} (at {at}).", param=at)
