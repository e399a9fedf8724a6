"""What a provider's answer says, in neutral words. Each endpoint has a file; nothing here knows who asked or how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from squall.capture.replies import chat, embeddings, messages, responses
from squall.capture.replies.events import EventText
from squall.capture.replies.said import Said

__all__ = ["PATHS", "READERS", "Reader", "Said", "target_at"]


class Reader(Protocol):
    """How one endpoint's answers are read. Whatever is in them, reading does not fail."""

    def whole(self, body: Mapping[str, Any]) -> Said:
        """What a body says."""
        ...

    def streamed(self, events: Iterable[EventText]) -> Said:
        """What a stream's events say, as far as they go."""
        ...


PATHS: Mapping[str, str] = {
    "/chat/completions": "model.chat",
    "/responses": "model.responses",
    "/embeddings": "model.embeddings",
    "/v1/messages": "model.messages",
}
"""The target that is asked by a path, as SDKs write it."""

READERS: Mapping[str, Reader] = {
    "model.chat": chat.Chat(),
    "model.responses": responses.Responses(),
    "model.messages": messages.Messages(),
    "model.embeddings": embeddings.Embeddings(),
}
"""By the name of the target."""


def target_at(path: str) -> str | None:
    """The target that is asked at a whole path, wherever its provider lives; None for what nobody here can read."""
    return next((target for end, target in PATHS.items() if path.endswith(end)), None)
