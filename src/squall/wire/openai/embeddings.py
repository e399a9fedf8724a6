"""`POST /v1/embeddings`: how its requests are read, and how vectors are written."""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from squall.call import MODEL_TARGETS, ModelRequest, Reply
from squall.models import tokens
from squall.wire.dialect import Frames, Stamp
from squall.wire.openai import fields, refusals

MOST_INPUTS, MOST_TOKENS = 2048, 8192  # of a request, and of one input
MOST_DIMENSIONS = 16_384  # several times what any provider's model has

FIELDS: fields.Table = {
    "model": fields.anything,
    "input": fields.anything,
    "dimensions": fields.integer(1, MOST_DIMENSIONS),
    "encoding_format": fields.one_of("float", "base64"),
    "user": fields.string,
    "mock_scope": fields.anything,  # squall's own: whose counters the request belongs to
}


class Embeddings:
    """The dialect of embeddings; has no state."""

    target = MODEL_TARGETS["embeddings"]

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
        """The request in a body."""
        model = fields.model_of(body)
        fields.all_of(body, FIELDS)
        return ModelRequest(
            endpoint="embeddings",
            model=model,
            inputs=_inputs(body.get("input")),
            dimensions=body.get("dimensions"),
            encoding="base64" if body.get("encoding_format") == "base64" else "float",
            headers=headers,
            body=body,
        )

    def whole(self, request: ModelRequest, reply: Sequence[Sequence[float]], stamp: Stamp) -> dict[str, Any]:
        """The body with the vectors, in the order in which they are given."""
        write = _packed if request.encoding == "base64" else list
        used = tokens.of_vectors(request).input
        return {
            "object": "list",
            "data": [
                {"object": "embedding", "index": index, "embedding": write(vector)}
                for index, vector in enumerate(reply)
            ],
            "model": request.model,
            "usage": {"prompt_tokens": used, "total_tokens": used},
        }

    def frames(self, request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
        """Nothing: `read` lets no request for a stream through."""
        raise TypeError("vectors are never streamed")

    def empty(self, body: dict[str, Any]) -> dict[str, Any]:
        """A list without vectors."""
        return {**body, "data": []}


def _inputs(value: Any) -> tuple[str | tuple[int, ...], ...]:
    if value is None:
        raise refusals.missing("input")
    if isinstance(value, str):
        return (_text(value, "input"),)
    if not isinstance(value, list):
        raise refusals.wrong_type("input", "a string, or an array of strings or tokens", value)
    if not value:
        raise refusals.empty("input", "array")
    if len(value) > MOST_INPUTS:
        raise refusals.too_long("input", "array", len(value), MOST_INPUTS)
    first = value[0]
    if isinstance(first, str):
        return tuple(_text(text, f"input[{place}]") for place, text in enumerate(value))
    if isinstance(first, list):
        return tuple(_tokens(each, f"input[{place}]") for place, each in enumerate(value))
    return (_tokens(value, "input"),)


def _text(value: Any, param: str) -> str:
    fields.string(value, param)
    if not value:
        raise refusals.empty(param, "string")
    text: str = value
    return text


def _tokens(value: Any, param: str) -> tuple[int, ...]:
    fields.array(value, param)
    if not value:
        raise refusals.empty(param, "array")
    if len(value) > MOST_TOKENS:
        raise refusals.too_long(param, "array", len(value), MOST_TOKENS)
    check = fields.integer(0)
    for place, token in enumerate(value):
        check(token, f"{param}[{place}]")
    return tuple(value)


def _packed(vector: Sequence[float]) -> str:
    """Little-endian numbers of 32 bits, in base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
