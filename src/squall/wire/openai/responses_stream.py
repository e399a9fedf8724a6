"""A response as a stream of numbered events, made from its body: each item opens, grows, and closes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, zip_longest
from typing import Any

import msgspec

from squall.wire.dialect import Frames
from squall.wire.openai import pieces, responses_reply

Event = tuple[bytes, bytes]
"""The type of an event after `response.`, and its fields as JSON without the outer brackets."""

encode = msgspec.json.Encoder().encode


def frames(body: dict[str, Any], *, interleaved: bool = False) -> Frames:
    """The events that end in `body`; the last one, which holds it whole, is the terminal one."""
    events: list[Event] = []
    if body["background"]:
        queued = _response(responses_reply.unready(body, "queued"))
        events += [(b"created", queued), (b"queued", queued)]
    started = _response(responses_reply.unready(body, "in_progress"))
    if not events:
        events.append((b"created", started))
    events.append((b"in_progress", started))
    items = [ITEMS[item["type"]](item, place) for place, item in enumerate(body["output"])]
    if interleaved:
        said = [item for item, told in zip(items, body["output"], strict=True) if told["type"] in SPOKEN]
        events += chain(chain.from_iterable(said), _by_turns(items[len(said) :]))
    else:
        events += chain.from_iterable(items)
    events.append((b"incomplete" if body["status"] == "incomplete" else b"completed", _response(body)))
    return Frames(
        [
            b'event: response.%b\ndata: {"type":"response.%b",%b,"sequence_number":%d}\n\n' % (kind, kind, told, number)
            for number, (kind, told) in enumerate(events)
        ],
        1,
    )


def _response(body: dict[str, Any]) -> bytes:
    return b'"response":%b' % encode(body)


def _around(item: dict[str, Any], place: int, opened: dict[str, Any], inner: Iterator[Event]) -> Iterator[Event]:
    """An item as it opens, what happens within, and the item as it closes."""
    yield b"output_item.added", b'"output_index":%d,"item":%b' % (place, encode({**item, **opened}))
    yield from inner
    yield b"output_item.done", b'"output_index":%d,"item":%b' % (place, encode(item))


def _reasoning(item: dict[str, Any], place: int) -> Iterator[Event]:
    return _around(item, place, {"summary": []}, _summaries(item, place))


def _summaries(item: dict[str, Any], place: int) -> Iterator[Event]:
    for index, part in enumerate(item["summary"]):
        at = b'"item_id":%b,"output_index":%d,"summary_index":%d,' % (encode(item["id"]), place, index)
        yield b"reasoning_summary_part.added", b'%b"part":%b' % (at, encode({**part, "text": ""}))
        for word in pieces.words(part["text"]):
            yield b"reasoning_summary_text.delta", b'%b"delta":%b' % (at, encode(word))
        yield b"reasoning_summary_text.done", b'%b"text":%b' % (at, encode(part["text"]))
        yield b"reasoning_summary_part.done", b'%b"part":%b' % (at, encode(part))


def _message(item: dict[str, Any], place: int) -> Iterator[Event]:
    return _around(item, place, {"status": "in_progress", "content": []}, _parts(item, place))


def _parts(item: dict[str, Any], place: int) -> Iterator[Event]:
    for index, part in enumerate(item["content"]):
        at = b'"item_id":%b,"output_index":%d,"content_index":%d,' % (encode(item["id"]), place, index)
        field, kind, more = TEXTS[part["type"]]
        yield b"content_part.added", b'%b"part":%b' % (at, encode({**part, field: ""}))
        for word in pieces.words(part[field]):
            yield kind + b".delta", b'%b"delta":%b%b' % (at, encode(word), more)
        yield kind + b".done", b'%b"%b":%b%b' % (at, field.encode(), encode(part[field]), more)
        yield b"content_part.done", b'%b"part":%b' % (at, encode(part))


def _function_call(item: dict[str, Any], place: int) -> Iterator[Event]:
    opened = {"status": "in_progress", "arguments": ""}
    return _around(item, place, opened, _growing(item, place, b"function_call_arguments", "arguments"))


def _custom_call(item: dict[str, Any], place: int) -> Iterator[Event]:
    opened = {"status": "in_progress", "input": ""}
    return _around(item, place, opened, _growing(item, place, b"custom_tool_call_input", "input"))


def _growing(item: dict[str, Any], place: int, kind: bytes, field: str) -> Iterator[Event]:
    at = b'"item_id":%b,"output_index":%d,' % (encode(item["id"]), place)
    for piece in pieces.arguments(item[field]):
        yield kind + b".delta", b'%b"delta":%b' % (at, encode(piece))
    told = {"name": item["name"]} if field == "arguments" else {}
    yield kind + b".done", at + encode({**told, field: item[field]})[1:-1]


def _by_turns(items: list[Iterator[Event]]) -> Iterator[Event]:
    for turn in zip_longest(*items):
        yield from (event for event in turn if event is not None)


ITEMS: dict[str, Callable[[dict[str, Any], int], Iterator[Event]]] = {
    "reasoning": _reasoning,
    "message": _message,
    "function_call": _function_call,
    "custom_tool_call": _custom_call,
}
SPOKEN = ("reasoning", "message")
TEXTS = {"output_text": ("text", b"output_text", b',"logprobs":[]'), "refusal": ("refusal", b"refusal", b"")}
"""Of a part's type: its field, the name of its events, and what more they hold."""
