"""What the tests of Anthropic's wire share: a stamp, and bodies held against the SDK's own types, extras refused."""

from __future__ import annotations

import functools
import json
from typing import Any

import pydantic
import pytest

from squall.wire.anthropic.messages import Messages
from squall.wire.dialect import Stamp

HEADERS = {"anthropic-version": "2023-06-01"}
STAMP = Stamp(1_750_000_000, lambda prefix, place: f"{prefix}{place:0>24}")


def extras(value: Any, at: str = "") -> list[str]:
    """Places of fields that a model of the SDK does not have."""
    if isinstance(value, pydantic.BaseModel):
        found = [f"{at}.{name}" for name in value.model_extra or ()]
        return found + [place for name in type(value).model_fields for place in extras(getattr(value, name), name)]
    return [place for one in value for place in extras(one, at)] if isinstance(value, list) else []


adapter = functools.cache(pydantic.TypeAdapter)


@pytest.fixture
def valid():
    """A body, strictly as one of the SDK's types."""

    def check(kind, body):
        found = adapter(kind).validate_json(json.dumps(body), strict=True)
        assert extras(found) == []
        return found

    return check


@pytest.fixture
def asked():
    """A request for a message, read; changes go into its body."""

    def read(**changes):
        body = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "Hi"}], **changes}
        return Messages().read({name: value for name, value in body.items() if value is not ...}, HEADERS)

    return read


@pytest.fixture
def stamp():
    return STAMP


@pytest.fixture
def headers():
    return HEADERS
