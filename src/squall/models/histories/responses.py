"""Responses: a call has its output somewhere after it, an output its call before it; earlier responses are included."""

from __future__ import annotations

from collections.abc import Sequence

from squall.call import BadRequest, Message


def check(messages: Sequence[Message]) -> None:
    """Raise `BadRequest` at the first item that breaks the rules."""
    seen: set[str | None] = set()
    waiting: dict[str | None, None] = {}
    for message in messages:
        for call in message.calls:
            if call.id in seen:
                raise BadRequest(f"The call_id {call.id} is that of another function call already.", param="input")
            seen.add(call.id)
            waiting[call.id] = None
        if message.role != "tool":
            continue
        if message.answers not in seen:
            what = f"There is no function call that the output with the call_id {message.answers} belongs to."
            raise BadRequest(what, param="input")
        if message.answers not in waiting:
            raise BadRequest(f"The function call {message.answers} has more than one output.", param="input")
        del waiting[message.answers]
    if waiting:
        raise BadRequest(f"There is no output of the function call {next(iter(waiting))}.", param="input")
