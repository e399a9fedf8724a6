"""What the tests of this room share: a stamp, the published schemas where they are there, and strict SDK models."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from squall.wire.dialect import Frames, Stamp

CREATED = 1748736000


@pytest.fixture
def stamp() -> Stamp:
    return a_stamp()


def a_stamp() -> Stamp:
    return Stamp(CREATED, lambda prefix, place=0: f"{prefix}{place:024d}")


@pytest.fixture(scope="session")
def over_the_wire() -> Callable[[Any], Any]:
    """A body as the client gets it."""
    return lambda body: json.loads(msgspec.json.encode(body))


@pytest.fixture(scope="session")
def data_of() -> Callable[[Frames], list[Any]]:
    """The data of a stream's events, each checked for its form; the end mark is a string."""

    def read(frames: Frames) -> list[Any]:
        found = []
        for event in frames.events:
            assert event.endswith(b"\n\n")
            lines = event[:-2].split(b"\n")
            assert lines[-1].startswith(b"data: ")
            data = lines[-1].removeprefix(b"data: ")
            value = data.decode() if data == b"[DONE]" else json.loads(data)
            if len(lines) > 1:
                assert lines == [b"event: " + value["type"].encode(), lines[-1]]
            found.append(value)
        return found

    return read
