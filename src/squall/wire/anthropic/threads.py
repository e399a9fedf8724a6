"""Conversations that Anthropic's server holds (`thread`), so that each request brings only what is new.

A request that begins one or goes on with one has its reply kept, under the reply's id, with all that came before it. In
memory, a bounded number of them: the oldest is dropped for a new one. The SDK's tool runner talks so by itself. Knows
no connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.call import BadRequest, Message, ModelRequest
from squall.wire.anthropic import checks
from squall.wire.anthropic.content import read_message
from squall.wire.shelf import MOST, Shelf, weight

NOT_FOUND = 404
OF_THE_THREAD = ("system", "tools")
"""The fields that a thread keeps from its first request on."""
TOP = "system"
"""The place of the message that is made of the system prompt: it stands above all others, and comes with each turn."""
_kind = checks.typed("create", "continue")


class Kept(msgspec.Struct, frozen=True):
    """A conversation up to one reply: its messages but the system prompt, and the fields that hold for all of it."""

    messages: tuple[Message, ...]
    fields: Mapping[str, Any]


def check(value: Any, place: str) -> None:
    """Whether the field `thread` is well formed. Raises `BadRequest`."""
    _kind(value, place)
    if value["type"] == "continue":
        if "previous_message_id" not in value:
            checks.missing(f"{place}.continue.previous_message_id")
        checks.text(value["previous_message_id"], f"{place}.continue.previous_message_id")


class Threads:
    """The conversations that one provider holds."""

    def __init__(self, most: int = MOST) -> None:
        self._kept: Shelf[Kept] = Shelf(most)

    def before(self, body: Mapping[str, Any]) -> Kept | None:
        """What a request goes on with, if it does. Raises `BadRequest` where that is not there."""
        name = _previous(body)
        if name is None:
            return None
        kept = self._kept.get(name)
        if kept is None:
            raise BadRequest(
                f"thread.previous_message_id: there is no message {name!r} to go on from",
                status=NOT_FOUND,
                code="thread_not_found",
            )
        return kept

    def keep(self, request: ModelRequest, name: str, content: list[dict[str, Any]]) -> None:
        """Keep a reply, `content` under the id `name`, if its request is one of a thread."""
        if not request.body.get("thread"):
            return
        messages = [message for message in request.messages if message.place != TOP]
        if content:
            messages += read_message({"role": "assistant", "content": content}, "")
        before = self._kept.get(_previous(request.body) or "")
        fields = request.body if before is None else {**before.fields, **request.body}
        placed = (msgspec.structs.replace(each, place=f"thread.{place}") for place, each in enumerate(messages))
        kept = Kept(tuple(placed), {field: fields[field] for field in OF_THE_THREAD if field in fields})
        self._kept.put(name, kept, weight(request.body, content))  # what came before is shared with what is kept of it


def after(kept: Kept, request: ModelRequest, body: Mapping[str, Any]) -> ModelRequest:
    """The request with the conversation that it goes on with; `body` is what came of it."""
    top = tuple(message for message in request.messages if message.place == TOP)
    return msgspec.structs.replace(request, messages=(*top, *kept.messages, *request.messages[len(top) :]), body=body)


def _previous(body: Mapping[str, Any]) -> str | None:
    thread = body.get("thread")
    if isinstance(thread, Mapping) and thread.get("type") == "continue":
        name = thread.get("previous_message_id")
        return name if isinstance(name, str) else None
    return None
