"""What a request to a model adds to the conversation that it goes on with, so that a trace grows with what is new.

An agent sends all of its conversation each time. A trace holds a message once: a call whose messages begin with those
of an earlier call says which one it continues, and holds the others. Knows where providers put messages and tools in
their bodies, and not what these mean. Taking them down as bytes is the copy that no agent can change later.
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
from squall.trace.line import encode

MOST_HEADS = 64  # conversations that may go on
MESSAGES = {"model.chat": "messages", "model.messages": "messages", "model.responses": "input"}
NONE = b"[]"
PREVIOUS = "previous_response_id"
THREAD, PREVIOUS_OF_THREAD = "thread", "previous_message_id"  # the provider holds its tools, too
AS_BEFORE = b""


class Asked(NamedTuple):
    """The parts of a request that a trace holds; `messages` and `tools` are JSON already."""

    continues: int | None
    messages: msgspec.Raw
    tools: msgspec.Raw | None
    rest: Any


class Kept(NamedTuple):
    """A request as it was sent, which nobody can change any more: its messages, its tools and the rest as JSON.

    `previous` is the id of the response that it goes on with, where that is how it says so. `tools` may be `AS_BEFORE`.
    """

    messages: bytes
    tools: bytes
    rest: msgspec.Raw
    previous: str


def kept(target: str, body: Mapping[str, Any]) -> Kept:
    """A request to keep."""
    field = MESSAGES.get(target, "")
    offered = body.get("tools")
    rest = {name: value for name, value in body.items() if name not in (field, "tools")}
    previous, none = body.get(PREVIOUS), NONE
    if isinstance(thread := body.get(THREAD), Mapping) and PREVIOUS_OF_THREAD in thread:
        previous, none = thread[PREVIOUS_OF_THREAD], AS_BEFORE if "tools" not in body else NONE
    return Kept(
        _bytes(_listed(body.get(field))),
        _bytes(offered) if offered else none,
        msgspec.Raw(_bytes(rest)),
        str(previous or ""),
    )


class Head(NamedTuple):
    """How a conversation stands: its messages without the closing bracket, and the tools last offered."""

    messages: bytes
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
        return self.parted(call, kept(target, body))

    def parted(self, call: int, request: Kept) -> Asked:
        """The same, of a request that is kept."""
        whole, tools, rest, previous = request
        with self._lock:
            found = None if previous in self._calls else self._continued(whole, tools)
            self._heads[call] = Head(whole[:-1], tools)
            insort(self._longest, (1 - len(whole), -call))
            if len(self._heads) > MOST_HEADS:
                oldest, head = self._heads.popitem(last=False)
                self._longest.remove((-len(head.messages), -oldest))
        if found is None:
            offered = None if tools == AS_BEFORE else msgspec.Raw(tools)
            return Asked(self._calls.get(previous), msgspec.Raw(whole), offered, rest)
        continues, head = found
        new = b"[" + whole[len(head.messages) :].lstrip(b",")
        return Asked(continues, msgspec.Raw(new), None if head.tools == tools else msgspec.Raw(tools), rest)

    def replied(self, call: int, response_id: str) -> None:
        """The id of a response, by which a later request may go on with it."""
        with self._lock:
            self._calls[response_id] = call
            if len(self._calls) > MOST_HEADS:
                self._calls.popitem(last=False)

    def _continued(self, whole: bytes, tools: bytes) -> tuple[int, Head] | None:
        """The call with the longest conversation that these messages begin with; of equal ones, with the same tools."""
        best: tuple[int, Head] | None = None
        for place in range(bisect_left(self._longest, (1 - len(whole), -math.inf)), len(self._longest)):
            length, call = self._longest[place]
            head = self._heads[-call]
            if best is not None and -length < len(best[1].messages):
                break
            if length < -1 and whole.startswith(head.messages) and whole[-length : 1 - length] in (b",", b"]"):
                if head.tools == tools:
                    return -call, head
                best = best or (-call, head)
        return best


def _listed(messages: Any) -> list[Any]:
    """The messages of a body: text alone is what a user says."""
    if isinstance(messages, str):
        return [{"content": messages, "role": "user"}]
    return messages if isinstance(messages, list) else list(messages) if isinstance(messages, tuple) else []


def _bytes(value: Any) -> bytes:
    try:
        return encode(value)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return encode(plain(value))
