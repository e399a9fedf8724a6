"""Requests for vectors are read and refused as the provider does; their bodies are what the SDK takes for vectors."""

from __future__ import annotations

import base64
import struct

import pytest
from openai.types import CreateEmbeddingResponse
from pydantic import TypeAdapter

from squall.call import BadRequest, Reply
from squall.wire.openai.embeddings import Embeddings

embeddings = Embeddings()


def read(**fields):
    body = {"model": "embed", "input": "a text", **fields}
    return embeddings.read({name: value for name, value in body.items() if value is not ...}, {})


@pytest.mark.parametrize(
    ("given", "inputs"),
    [
        ("a text", ("a text",)),
        (["one", "two"], ("one", "two")),
        ([1, 2, 3], ((1, 2, 3),)),
        ([[1, 2], [3]], ((1, 2), (3,))),
    ],
)
def test_inputs_are_texts_or_lists_of_tokens(given, inputs):
    assert read(input=given).inputs == inputs


def test_the_form_of_vectors_is_read():
    request = read(dimensions=3, encoding_format="base64", user="u", mock_scope="s")
    assert (request.endpoint, request.dimensions, request.encoding) == ("embeddings", 3, "base64")
    assert (read().encoding, read().dimensions) == ("float", None)


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        ({"model": ...}, "model", "missing_required_parameter"),
        ({"input": ...}, "input", "missing_required_parameter"),
        ({"input": ""}, "input", "empty_string"),
        ({"input": []}, "input", "empty_array"),
        ({"input": 5}, "input", "invalid_type"),
        ({"input": ["a", ""]}, "input[1]", "empty_string"),
        ({"input": ["a", 1]}, "input[1]", "invalid_type"),
        ({"input": [1, "a"]}, "input[1]", "invalid_type"),
        ({"input": [-1]}, "input[0]", "integer_below_min_value"),
        ({"input": [[1], []]}, "input[1]", "empty_array"),
        ({"input": [[1], 1]}, "input[1]", "invalid_type"),
        ({"input": [[1] * 8193]}, "input[0]", "array_above_max_length"),
        ({"input": ["a"] * 2049}, "input", "array_above_max_length"),
        ({"dimensions": 0}, "dimensions", "integer_below_min_value"),
        ({"dimensions": 10**8}, "dimensions", "integer_above_max_value"),
        ({"encoding_format": "hex"}, "encoding_format", "invalid_value"),
        ({"stream": True}, "stream", "unknown_parameter"),
    ],
)
def test_a_wrong_request_is_refused(fields, param, code):
    with pytest.raises(BadRequest) as caught:
        read(**fields)
    assert (caught.value.param, caught.value.code, caught.value.status) == (param, code, 400)


def test_vectors_are_numbers_in_order(stamp, over_the_wire):
    body = over_the_wire(embeddings.whole(read(input=["one", "two"]), [[0.5, 1.0], [0.0, -1.0]], stamp))
    found = TypeAdapter(CreateEmbeddingResponse).validate_python(body)
    assert [(each.index, each.embedding) for each in found.data] == [(0, [0.5, 1.0]), (1, [0.0, -1.0])]
    assert found.usage.prompt_tokens == found.usage.total_tokens == 2


def test_vectors_in_base64_are_little_endian_numbers_of_32_bits(stamp):
    body = embeddings.whole(read(encoding_format="base64"), [[0.5, -1.0]], stamp)
    assert struct.unpack("<2f", base64.b64decode(body["data"][0]["embedding"])) == (0.5, -1.0)


def test_a_list_can_be_without_vectors(stamp):
    assert embeddings.empty(embeddings.whole(read(), [[1.0]], stamp))["data"] == []


def test_vectors_are_never_streamed(stamp):
    with pytest.raises(TypeError):
        embeddings.frames(read(), Reply(), stamp)
