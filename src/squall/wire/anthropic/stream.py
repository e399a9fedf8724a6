"""A reply as the events of Anthropic's stream: message, blocks, deltas, and the two events that say it is complete.

Knows no connection; what goes wrong on the way is put in by others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any

import msgspec

from squall.call import ModelRequest, Reply, ToolUse
from squall.models import tokens
from squall.wire.anthropic import reply as whole
from squall.wire.dialect import Frames, Stamp

TERMINAL = 2
"""`message_delta` and `message_stop`: without them all blocks are there, and nobody has said why the message ended."""
WORDS = re.compile(r"\s*\S+|\s+")
LEAST_PIECES = 2
PIECE = 12  # characters of JSON in one delta
PING = b'event: ping\ndata: {"type":"ping"}\n\n'
encode = msgspec.json.encode


def event(kind: str, **fields: Any) -> bytes:
    """One event as it goes over the wire."""
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), encode({"type": kind, **fields}))


def frames(request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
    """All events of a reply. `interleaved`: the calls of tools are opened together, and their pieces come by turns."""
    usage = whole.counted(tokens.usage_of(request, reply))
    reason = whole.stop_reason(reply)
    begun = {**usage, "output_tokens": min(1, usage["output_tokens"])}
    begun.pop("output_tokens_details", None)
    start = whole.envelope(request, stamp, content=[], reason=None, stopped_by=None, usage=begun)
    said = list(_said(request, reply, stamp))
    calls = [_call(len(said) + number, number, call, stamp) for number, call in enumerate(reply.calls)]
    events = [event("message_start", message=start), PING]
    for block in said:
        events += block
    if interleaved:
        events += _by_turns(calls)
    else:
        events.extend(chain.from_iterable(calls))
    usage.pop("cache_creation"), usage.pop("service_tier")
    delta = {
        "stop_reason": reason,
        "stop_sequence": reply.stopped_by if reason == "stop_sequence" else None,
        "stop_details": whole.REFUSED if reason == "refusal" else None,
    }
    events += [event("message_delta", delta=delta, usage=usage), event("message_stop")]
    return Frames(events, TERMINAL)


def _said(request: ModelRequest, reply: Reply, stamp: Stamp) -> Iterator[list[bytes]]:
    index = 0
    if reply.reasoning:
        deltas = _deltas(index, "thinking", WORDS.findall(whole.shown(request, reply.reasoning)))
        deltas += _deltas(index, "signature", [whole.signature(stamp)])
        yield _block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
        index += 1
    for text in (reply.text, reply.refusal):
        if text:
            yield _block(index, {"type": "text", "text": ""}, _deltas(index, "text", WORDS.findall(text)))
            index += 1


def _call(index: int, number: int, call: ToolUse, stamp: Stamp) -> list[bytes]:
    block = {"type": "tool_use", "id": call.id or stamp.id("toolu_", number), "name": call.name, "input": {}}
    return _block(index, block, _deltas(index, "input_json", ["", *_pieces(call.arguments)]))


def _block(index: int, empty: dict[str, Any], deltas: list[bytes]) -> list[bytes]:
    start = event("content_block_start", index=index, content_block=empty)
    return [start, *deltas, event("content_block_stop", index=index)]


def _deltas(index: int, kind: str, pieces: list[str]) -> list[bytes]:
    field = {"input_json": "partial_json"}.get(kind, kind)
    head = (
        f'event: content_block_delta\ndata: {{"type":"content_block_delta","index":{index},'
        f'"delta":{{"type":"{kind}_delta","{field}":'
    ).encode()
    return [b"%b%b}}\n\n" % (head, encode(piece)) for piece in pieces]


def _pieces(arguments: str) -> list[str]:
    size = max(1, min(PIECE, -(-len(arguments) // LEAST_PIECES)))
    return [arguments[at : at + size] for at in range(0, len(arguments), size)]


def _by_turns(calls: list[list[bytes]]) -> list[bytes]:
    """Starts first, so that a reader who appends blocks has them in order; then deltas in turn; then stops."""
    turns = zip_longest(*(block[1:-1] for block in calls))
    return [
        *(block[0] for block in calls),
        *(delta for turn in turns for delta in turn if delta is not None),
        *(block[-1] for block in calls),
    ]
