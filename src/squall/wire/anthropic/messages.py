"""`POST /v1/messages`: the dialect that Anthropic's messages are spoken in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call import MODEL_TARGETS, ModelRequest, Reply
from squall.wire.anthropic import reply as whole
from squall.wire.anthropic import request as asked
from squall.wire.anthropic import stream
from squall.wire.dialect import Frames, Stamp


class Messages:
    """How requests for messages are read, and replies written."""

    target = MODEL_TARGETS["messages"]

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
        """The request in a body. Raises `BadRequest`."""
        return asked.read(body, headers)

    def whole(self, request: ModelRequest, reply: Reply, stamp: Stamp) -> dict[str, Any]:
        """The body of a reply."""
        return whole.message(request, reply, stamp)

    def frames(self, request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
        """The events of a stream."""
        return stream.frames(request, reply, stamp, interleaved=interleaved)

    def empty(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body of a message without content."""
        return {**body, "content": []}
