"""One event as one line, format 1, and how lines are chained.

A line is `{"hash":"<64 hex>",` and then the rest: `"prev":"<the hash before it, 64 zeros first>"`, `"v":1`, `"run"`,
`"seq"` (from 1), `"t"` (virtual seconds since the run began), `"kind"`, then the kind's own fields, then `}`. The hash
is SHA-256 over the bytes of that rest, from after the first comma up to and including the closing brace. So verifying
reads raw bytes and never depends on how a JSON library spells a number. Lines end with a newline, which is not hashed.
The keys of a payload are sorted, and so are sets; what JSON cannot hold, or holds deeper than 50 levels, is written in
its plain form (`squall.canonical.plain`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from squall.canonical import DEEPEST, plain
from squall.trace.kinds import AnyEvent, Event

VERSION = 1
GENESIS = b"0" * 64
HEAD = b'{"hash":"'
AFTER_HASH = b'",'
HASH_END = len(HEAD) + 64
REST = HASH_END + len(AFTER_HASH)
TAIL = b'"t":'


class Envelope(msgspec.Struct, frozen=True):
    """What stands around a kind's own fields."""

    hash: str
    prev: str
    v: int
    run: str
    seq: int
    t: float


def foreign(value: Any) -> Any:
    """What the encoder does not know; a subclass of JSON's own types loses its class, the rest all but its type."""
    return dict(value) if isinstance(value, Mapping) else plain(value)


_encoder = msgspec.json.Encoder(enc_hook=foreign, order="deterministic")  # a set has another order in each process
event_of = msgspec.json.Decoder(AnyEvent).decode
envelope_of = msgspec.json.Decoder(Envelope).decode
encode = _encoder.encode


def body(event: Event) -> bytes:
    """The kind and its fields as `{"kind":…}`; a payload that cannot be written as it is goes in a plainer form."""
    try:
        written = encode(event)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return encode(_plainer(event))
    # Whether a very deep payload can be written, and read back, would depend on how deep the caller's stack is.
    if written.count(b"{") + written.count(b"[") > DEEPEST and _too_deep(event):
        return encode(_plainer(event))
    return written


def _plainer(event: Event) -> Event:
    fields = {name: plain(getattr(event, name)) for name in event.__struct_fields__}
    return msgspec.structs.replace(event, **fields)


def _too_deep(event: Event) -> bool:
    level = [getattr(event, name) for name in event.__struct_fields__]
    for _ in range(DEEPEST):
        holders = [value for value in level if isinstance(value, dict | list | tuple)]
        level = [item for holder in holders for item in (holder.values() if isinstance(holder, dict) else holder)]
    return any(isinstance(value, dict | list | tuple) for value in level)


def tail(t: float, event: Event) -> bytes:
    """What a line says: all from its time on."""
    return b'"t":%b,%b' % (encode(t), body(event)[1:])


def tail_of(line: bytes) -> bytes:
    """The same of a line that is there."""
    return line[line.index(TAIL, REST) :]


def rest(prev: bytes, run: bytes, seq: int, said: bytes) -> bytes:
    """The hashed part of a line that ends with a tail. `run` is already JSON."""
    return b'"prev":"%b","v":1,"run":%b,"seq":%d,%b' % (prev, run, seq, said)


def seal(part: bytes) -> tuple[bytes, bytes]:
    """The whole line without its newline, and its hash in hexadecimal."""
    mark = hashlib.sha256(part).hexdigest().encode()
    return b"%b%b%b%b" % (HEAD, mark, AFTER_HASH, part), mark


def decode(line: bytes) -> tuple[Envelope, AnyEvent]:
    """A line back into envelope and event. Raises `msgspec.DecodeError` for what is not format 1."""
    return envelope_of(line), event_of(line)
