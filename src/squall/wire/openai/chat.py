"""`POST /v1/chat/completions`: how its requests are read, and how its replies are written. Keeps them if asked to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call import MODEL_TARGETS, ModelRequest, Reply
from squall.wire.dialect import Frames, Stamp
from squall.wire.openai import chat_reply, chat_request, chat_stream, stored


class Chat:
    """The dialect of chat completions. What it has written for a request with `"store": true` it keeps in `kept`."""

    target = MODEL_TARGETS["chat"]

    def __init__(self, kept: stored.Completions | None = None) -> None:
        self.kept = stored.Completions() if kept is None else kept

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
        """The request in a body."""
        return chat_request.read(body, headers)

    def whole(self, request: ModelRequest, reply: Reply, stamp: Stamp) -> dict[str, Any]:
        """The body of a completion."""
        body = chat_reply.whole(request, reply, stamp)
        if stored.wanted(request):
            self.kept.keep(request, body)
        return body

    def frames(self, request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
        """The events of a stream."""
        if stored.wanted(request):
            self.kept.keep(request, chat_reply.whole(request, reply, stamp))
        return chat_stream.frames(request, reply, stamp, interleaved=interleaved)

    def empty(self, body: dict[str, Any]) -> dict[str, Any]:
        """A completion without choices."""
        return {**body, "choices": []}
