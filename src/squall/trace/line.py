"""One event as one line, format 1, and how lines are chained.

A line is `{"hash":"<64 hex>",` and then the rest: `"prev":"<the hash before it, 64 zeros first>"`, `"v":1`, `"run"`,
`"seq"` (from 1), `"t"` (virtual seconds since the run began), `"kind"`, then the kind's own fields, then `}`. The hash
is SHA-256 over the bytes of that rest, from after the first comma up to and including the closing brace. So verifying
reads raw bytes and never depends on how a JSON library spells a number. Lines end with a newline, which is not hashed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from squall.trace.kinds import AnyEvent, Event

VERSION = 1
GENESIS = b"0" * 64
HEAD = b'{"hash":"'
AFTER_HASH = b'",'
HASH_END = len(HEAD) + 64
REST = HASH_END + len(AFTER_HASH)
DEEPEST = 50
LEAST, MOST = -(2**63), 2**64  # the whole numbers that the encoder writes


class Envelope(msgspec.Struct, frozen=True):
    """What stands around a kind's own fields."""

    hash: str
    prev: str
    v: int
    run: str
    seq: int
    t: float


def _foreign(value: Any) -> Any:
    """Payloads may hold anything; what has no JSON form is named by its type, never by an address."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    return f"<{type(value).__qualname__}>"


_encoder = msgspec.json.Encoder(enc_hook=_foreign)
_event_decoder = msgspec.json.Decoder(AnyEvent)
_envelope_decoder = msgspec.json.Decoder(Envelope)
encode = _encoder.encode


def body(event: Event) -> bytes:
    """The kind and its fields as `{"kind":…}`; a payload that cannot be written as it is goes in a plainer form."""
    try:
        return encode(event)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return encode(
            msgspec.structs.replace(event, **{name: plain(getattr(event, name)) for name in event.__struct_fields__})
        )


def plain(value: Any, around: tuple[int, ...] = ()) -> Any:
    """`value` with text keys, without lone surrogates, cycles or great depth; `around`: ids of what holds it."""
    if id(value) in around or len(around) > DEEPEST:
        return "<itself>" if id(value) in around else "<nested too deeply>"
    inside = (*around, id(value))
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, Mapping):
        return {plain(str(key), inside): plain(item, inside) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, inside) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and not LEAST <= value < MOST:
        return str(value)
    return value


def rest(prev: bytes, run: bytes, seq: int, t: float, event: Event) -> bytes:
    """The hashed part of a line. `run` is already JSON."""
    return b'"prev":"%b","v":1,"run":%b,"seq":%d,"t":%b,%b' % (prev, run, seq, encode(t), body(event)[1:])


def seal(part: bytes) -> tuple[bytes, bytes]:
    """The whole line without its newline, and its hash in hexadecimal."""
    mark = hashlib.sha256(part).hexdigest().encode()
    return HEAD + mark + AFTER_HASH + part, mark


def decode(line: bytes) -> tuple[Envelope, AnyEvent]:
    """A line back into envelope and event. Raises `msgspec.DecodeError` for what is not format 1."""
    return _envelope_decoder.decode(line), _event_decoder.decode(line)
