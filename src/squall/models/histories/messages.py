"""Messages: a user begins, and what asks for tools is answered at the very beginning of the next turn of the user.

Messages of one role in a row are one turn. No text is blank, and no message empty but a last one of the assistant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from squall.call import BadRequest, Message


def check(messages: Sequence[Message]) -> None:
    """Raise `BadRequest` at the first message that breaks the rules."""
    seen: set[str | None] = set()
    asked: dict[str | None, str] = {}  # by the assistant's last turn: ids of calls, and where they stand
    waiting: dict[str | None, str] = {}  # those without a result yet
    before = ""  # whose turn the message before belongs to
    for message in messages:
        turn = "user" if message.role == "tool" else message.role
        if turn == "assistant":
            if not before:
                _refuse("messages", "the first message has to be one of the user")
            if before != turn:
                asked = {}
            for call in message.calls:
                if call.id in seen:
                    _refuse(message.place, f"the id of a `tool_use` is used only once, and {call.id} comes again")
                seen.add(call.id)
                asked[call.id] = waiting[call.id] = message.place
        elif message.role == "tool":
            _answered(message, asked, waiting)
        elif waiting:
            _unanswered(waiting)
        if message.place != "system":
            before = turn
        if message.blank or not message.parts:
            _empty(message, last=message is messages[-1])
    if waiting:
        _unanswered(waiting)
    if before == "assistant" and messages[-1].text[-1:].isspace():
        _refuse(messages[-1].place, "the text that the assistant is to go on with cannot end with whitespace")


def _answered(message: Message, asked: dict[str | None, str], waiting: dict[str | None, str]) -> None:
    name = message.answers
    if name not in asked:
        _refuse(message.place, f"a `tool_result` answers {name}, and the message before has no `tool_use` of that id")
    if waiting.pop(name, None) is None:
        _refuse(message.place, f"each `tool_use` has a single `tool_result`, and {name} has several")


def _unanswered(waiting: dict[str | None, str]) -> NoReturn:
    ids = ", ".join(map(str, waiting))
    _refuse(
        next(iter(waiting.values())),
        "each `tool_use` has its `tool_result` in the next message, before anything else there; "
        f"these ids have none: {ids}",
    )


def _empty(message: Message, *, last: bool) -> None:
    if message.blank:
        _refuse(message.place, "a block of text needs characters other than whitespace")
    if message.role != "tool" and not (last and message.role == "assistant"):
        _refuse(message.place, "a message needs content, unless it is the last one and the assistant's")


def _refuse(place: str, what: str) -> NoReturn:
    raise BadRequest(f"{place}: {what}", param=place)
