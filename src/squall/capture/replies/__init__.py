"""What a provider's answer says, in neutral words. Each endpoint has a file; nothing here knows who asked or how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from squall.capture.replies import chat, embeddings, messages, responses
from squall.capture.replies.events import EventText
from squall.capture.replies.said import Said

__all__ = ["READERS", "Reader", "Said"]


class Reader(Protocol):
    """How one endpoint's answers are read. Whatever is in them, reading does not fail."""

    def whole(self, body: Mapping[str, Any]) -> Said:
        """What a body says."""
        ...

    def streamed(self, events: Iterable[EventText]) -> Said:
        """What a stream's events say, as far as they go."""
        ...


READERS: Mapping[str, Reader] = {
    "model.chat": chat.Chat(),
    "model.responses": responses.Responses(),
    "model.messages": messages.Messages(),
    "model.embeddings": embeddings.Embeddings(),
}
"""By the name of the target."""
