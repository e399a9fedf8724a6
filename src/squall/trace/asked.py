"""What a request to a model adds to the conversation that it goes on with, so that a trace grows with what is new.

An agent sends all of its conversation each time. A trace holds a message once: a call whose messages begin with those
of an earlier call says which one it continues, and holds the others. Knows where providers put messages and tools in
their bodies, and not what these mean. Taking a body down as bytes is the copy that no agent can change later: they are
MessagePack, which takes half as long as JSON, and tells where each message ends.
"""

from __future__ import annotations

import math
import threading
from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from squall.canonical import plain
from squall.trace.line import encode, foreign

MOST_HEADS = 64  # conversations that may go on
MESSAGES = {"model.chat": "messages", "model.messages": "messages", "model.responses": "input"}
PREVIOUS = "previous_response_id"
THREAD, PREVIOUS_OF_THREAD = "thread", "previous_message_id"  # the provider holds its tools, too
AS_BEFORE = b""
DEEP = "<nested too deeply>"
FIX, FIX_MOST, LISTS = 0x90, 0x9F, {0xDC: 2, 0xDD: 4}
"""How a list begins in MessagePack: with its length in that byte, or in so many bytes after it."""

_pack = msgspec.msgpack.Encoder(enc_hook=foreign, order="deterministic").encode
_unpack = msgspec.msgpack.decode
_fields = msgspec.msgpack.Decoder(dict[str, msgspec.Raw]).decode
NONE = _pack([])


class Asked(NamedTuple):
    """The parts of a request that a trace holds; `messages` and `tools` are JSON already."""

    continues: int | None
    messages: msgspec.Raw
    tools: msgspec.Raw | None
    rest: dict[str, Any]


def kept(body: Mapping[str, Any]) -> bytes:
    """The body of a request as it was sent, which nobody can change any more."""
    try:
        return _pack(body)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return _pack(plain(body))


class Head(NamedTuple):
    """How a conversation stands: its messages one after the other, how many they are, and the tools last offered."""

    messages: bytes
    length: int
    tools: bytes


class Conversations:
    """The conversations of one run, in the order in which they were last gone on with."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heads: OrderedDict[int, Head] = OrderedDict()
        self._longest: list[tuple[int, int]] = []  # of each head: its length and call, both negative, so in this order
        self._calls: OrderedDict[str, int] = OrderedDict()  # by the id of the response

    def take(self, call: int, target: str, body: Mapping[str, Any]) -> Asked:
        """The new parts of the request that call `call` makes."""
        return self.parted(call, target, kept(body))

    def parted(self, call: int, target: str, body: bytes) -> Asked:
        """The same, of a body that is kept."""
        fields = _parts(body)
        count, messages = _listed(fields.pop(MESSAGES.get(target, ""), NONE))
        tools = fields.pop("tools", None)
        rest = {name: _unpacked(value) for name, value in fields.items()}
        previous, none = rest.get(PREVIOUS), NONE
        if isinstance(thread := rest.get(THREAD), dict) and PREVIOUS_OF_THREAD in thread:
            previous, none = thread[PREVIOUS_OF_THREAD], AS_BEFORE if tools is None else NONE
        offered = none if tools is None or len(tools) == 1 else bytes(tools)  # one byte is null, or what is empty
        previous = str(previous or "")
        with self._lock:
            found = None if previous in self._calls else self._continued(messages, offered)
            self._heads[call] = Head(messages, count, offered)
            insort(self._longest, (-len(messages), -call))
            if len(self._heads) > MOST_HEADS:
                oldest, head = self._heads.popitem(last=False)
                self._longest.remove((-len(head.messages), -oldest))
        if found is None:
            return Asked(
                self._calls.get(previous),
                _json(_list_of(count, messages)),
                None if offered == AS_BEFORE else _json(offered),
                rest,
            )
        continues, head = found
        new = _list_of(count - head.length, messages[len(head.messages) :])
        return Asked(continues, _json(new), None if head.tools == offered else _json(offered), rest)

    def replied(self, call: int, response_id: str) -> None:
        """The id of a response, by which a later request may go on with it."""
        with self._lock:
            self._calls[response_id] = call
            if len(self._calls) > MOST_HEADS:
                self._calls.popitem(last=False)

    def _continued(self, messages: bytes, tools: bytes) -> tuple[int, Head] | None:
        """The call with the longest conversation that these messages begin with; of equal ones, with the same tools."""
        best: tuple[int, Head] | None = None
        for place in range(bisect_left(self._longest, (-len(messages), -math.inf)), len(self._longest)):
            length, call = self._longest[place]
            head = self._heads[-call]
            if best is not None and -length < len(best[1].messages):
                break
            if length and messages.startswith(head.messages):
                if head.tools == tools:
                    return -call, head
                best = best or (-call, head)
        return best


def _parts(body: bytes) -> dict[str, Any]:
    try:
        return _fields(body)
    except RecursionError:  # how deep is too deep depends on where somebody looks
        return {"body": _pack(DEEP)}


def _unpacked(packed: bytes) -> Any:
    try:
        return _unpack(packed)
    except RecursionError:  # as above
        return [DEEP]


def _listed(packed: bytes) -> tuple[int, bytes]:
    """The messages of a body, how many and one after the other: text alone is what a user says."""
    found = bytes(packed)
    first = found[0]
    if FIX <= first <= FIX_MOST:
        return first - FIX, found[1:]
    for mark, size in LISTS.items():
        if first == mark:
            return int.from_bytes(found[1 : 1 + size], "big"), found[1 + size :]
    value = _unpack(found)
    return (1, _pack({"content": value, "role": "user"})) if isinstance(value, str) else (0, b"")


def _list_of(count: int, items: bytes) -> bytes:
    """A list of things that follow each other."""
    return b"\xdd%b%b" % (count.to_bytes(4, "big"), items)


def _json(packed: bytes) -> msgspec.Raw:
    value = _unpacked(packed)
    try:
        return msgspec.Raw(encode(value))
    except RecursionError:  # as above
        return msgspec.Raw(encode(plain(value)))
