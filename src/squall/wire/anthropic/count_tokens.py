"""`POST /v1/messages/count_tokens`: how many tokens a request would send. Asks no brain, and no fault is for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call import ModelRequest
from squall.models import tokens
from squall.wire.anthropic import request as asked


def read(body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
    """The request in a body, which has no `max_tokens`. Raises `BadRequest`."""
    return asked.read(body, headers, counting=True)


def whole(request: ModelRequest) -> dict[str, Any]:
    """The body of the answer: the same number that the reply to such a request counts as its input."""
    return {"input_tokens": tokens.of_request(request)}
