"""`POST /v1/messages`: the dialect that Anthropic's messages are spoken in. Keeps the conversations of threads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call import MODEL_TARGETS, ModelRequest, Reply
from squall.wire.anthropic import reply as whole
from squall.wire.anthropic import request as asked
from squall.wire.anthropic import stream, threads
from squall.wire.dialect import Frames, Stamp


class Messages:
    """How requests for messages are read, and replies written."""

    target = MODEL_TARGETS["messages"]

    def __init__(self) -> None:
        self._threads = threads.Threads()

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
        """The request in a body, with the conversation that it goes on with. Raises `BadRequest`."""
        kept = self._threads.before(body)
        if kept is None:
            return asked.read(body, headers)
        return threads.after(kept, asked.read({**kept.fields, **body}, headers, further=True), body)

    def whole(self, request: ModelRequest, reply: Reply, stamp: Stamp) -> dict[str, Any]:
        """The body of a reply."""
        body = whole.message(request, reply, stamp)
        self._threads.keep(request, body["id"], body["content"])
        return body

    def frames(self, request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
        """The events of a stream."""
        if request.body.get("thread"):
            self.whole(request, reply, stamp)
        return stream.frames(request, reply, stamp, interleaved=interleaved)

    def empty(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body of a message without content."""
        return {**body, "content": []}
