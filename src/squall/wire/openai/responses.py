"""`POST /v1/responses`: how its requests are read, and how its replies are written. Keeps them too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call import MODEL_TARGETS, ModelRequest, Reply
from squall.models import tokens
from squall.wire.dialect import Frames, Stamp
from squall.wire.openai import responses_reply, responses_request, responses_stream, stored_responses


class Responses:
    """The dialect of responses. What it has written it keeps in `kept`, where later requests find it."""

    target = MODEL_TARGETS["responses"]

    def __init__(self, kept: stored_responses.Responses | None = None) -> None:
        self.kept = stored_responses.Responses() if kept is None else kept

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
        """The request in a body, with the conversation that it goes on with."""
        return responses_request.read(body, headers, self.kept)

    def whole(self, request: ModelRequest, reply: Reply, stamp: Stamp) -> dict[str, Any]:
        """The body of a response; of one in the background, that it is queued."""
        body = responses_reply.whole(request, reply, stamp)
        if body["background"]:
            self.kept.keep(request, body, stamp, status="queued")
            return responses_reply.waiting(request, stamp, "queued")
        self.kept.keep(request, body, stamp)
        return body

    def frames(self, request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
        """The events of a stream."""
        body = responses_reply.whole(request, reply, stamp)
        self.kept.keep(request, body, stamp)
        return responses_stream.frames(body, interleaved=interleaved)

    def empty(self, body: dict[str, Any]) -> dict[str, Any]:
        """A response without output."""
        return {**body, "output": []}

    def input_tokens(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /responses/input_tokens`: how many tokens a request would have."""
        request = responses_request.counted(body, self.kept)
        return {"object": "response.input_tokens", "input_tokens": tokens.of_request(request)}
