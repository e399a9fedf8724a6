"""An answer of somebody else's model as faults need to know it: its bytes, its events, and what it says.

Reads what captures read, in the same words. Knows the responses of httpx by what they have, and no fault.
"""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec

from squall.call import Reply, ToolUse, Usage
from squall.capture.replies import READERS, Said
from squall.capture.replies.events import GAP, EventText, events_in
from squall.capture.replies.said import listed, mapping, text_of
from squall.wire.dialect import Frames
from squall.wire.provider.foreign import Given

EVENTS = "text/event-stream"
FLOAT = 4  # bytes of a number in a packed vector
OF_THE_BYTES = frozenset(("content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive"))
"""Headers that tell how a body came, and not what it is."""
LAST = frozenset(("message_delta", "response.completed", "response.incomplete", "response.failed"))
"""Types of events by which a stream begins to say that it is complete."""


def given_by(response: Any, target: str) -> Given:
    """A response that has been read."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    kept = {name: value for name, value in headers.items() if name not in OF_THE_BYTES}
    content = response.content
    if EVENTS not in headers.get("content-type", ""):
        said, vectors = partial(_whole, target, content), partial(_vectors, content)
        return Given(response.status_code, kept, content, partial(_reply, said), vectors=vectors)
    streamed = partial(READERS[target].streamed, list(events_in(content)))
    return Given(response.status_code, kept, content, partial(_reply, streamed), _frames(content))


def _reply(read: Callable[[], Said]) -> Reply | None:
    """What is said, as models say it; None where nothing is."""
    said = read()
    if said.error or not (said.text or said.calls or said.finish):
        return None
    refused = said.finish == "refusal"
    counted = said.usage
    return Reply(
        text=None if refused else said.text,
        calls=tuple(ToolUse(call["name"], call["arguments"], call.get("id")) for call in said.calls),
        refusal=said.text if refused else None,
        finish=said.finish,
        usage=Usage(counted["input"], counted["output"]) if {"input", "output"} <= counted.keys() else None,
    )


def _vectors(content: bytes) -> list[list[float]]:
    """The vectors in a body: numbers, or these packed. None at all where one is neither."""
    found = [each.get("embedding") for each in listed(mapping(_decoded(content)).get("data"))]
    read = [_unpacked(each) if isinstance(each, str) else each for each in found]
    vectors = [each for each in read if isinstance(each, list)]
    return vectors if len(vectors) == len(read) else []


def _unpacked(text: str) -> list[float] | None:
    try:
        packed = b64decode(text, validate=True)
        return [*struct.unpack(f"<{len(packed) // FLOAT}f", packed)]
    except (ValueError, struct.error):
        return None


def _decoded(content: bytes) -> Any:
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _whole(target: str, content: bytes) -> Said:
    return READERS[target].whole(mapping(_decoded(content)))


def _frames(content: bytes) -> Frames:
    """The events as they came. From the one on that says why the model ended, they say that the reply is complete."""
    events = list(_blocks(content))
    told = [next(events_in(event), None) for event in events]
    last = max((place for place, event in enumerate(told) if event is not None and _ends(event)), default=None)
    if last is None:
        last = next((place for place, event in enumerate(told) if event is not None and event.done), len(events))
    return Frames(events, len(events) - last)


def _blocks(content: bytes) -> Iterator[bytes]:
    start = 0
    for gap in GAP.finditer(content):
        yield content[start : gap.end()]
        start = gap.end()
    if start < len(content):
        yield content[start:]


def _ends(event: EventText) -> bool:
    data = mapping(event.data)
    if (text_of(data.get("type")) or event.name) in LAST:
        return True
    return any(choice.get("finish_reason") for choice in listed(data.get("choices")))
