"""`POST /v1/chat/completions`: how its requests are read, and how its replies are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call import MODEL_TARGETS, ModelRequest, Reply
from squall.wire.dialect import Frames, Stamp
from squall.wire.openai import chat_reply, chat_request, chat_stream


class Chat:
    """The dialect of chat completions; has no state."""

    target = MODEL_TARGETS["chat"]

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
        """The request in a body."""
        return chat_request.read(body, headers)

    def whole(self, request: ModelRequest, reply: Reply, stamp: Stamp) -> dict[str, Any]:
        """The body of a completion."""
        return chat_reply.whole(request, reply, stamp)

    def frames(self, request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
        """The events of a stream."""
        return chat_stream.frames(request, reply, stamp, interleaved=interleaved)

    def empty(self, body: dict[str, Any]) -> dict[str, Any]:
        """A completion without choices."""
        return {**body, "choices": []}
