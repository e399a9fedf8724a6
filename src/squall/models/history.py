"""Strict history: a conversation has to hold together as the providers demand it, or they refuse the request.

Each endpoint has its own rules of how calls of tools and their results follow each other, and of what may be empty. The
form of each message has been checked before; here only what they are to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from squall.call import Message, ModelRequest
from squall.models.histories import chat, messages, responses

RULES: Mapping[str, Callable[[Sequence[Message]], None]] = {
    "chat": chat.check,
    "messages": messages.check,
    "responses": responses.check,
}
"""By endpoint; embeddings have no history."""


def check(request: ModelRequest) -> None:
    """Refuse a request whose conversation is broken. Raises `BadRequest`, whose `param` is where it is."""
    rules = RULES.get(request.endpoint)
    if rules is not None:
        rules(request.messages)
