"""A chat completion as a stream of events, made from a reply. Put together again, it says what the whole body does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from typing import Any

import msgspec

from squall.call import ModelRequest, Reply
from squall.models import tokens
from squall.wire.dialect import Frames, Stamp
from squall.wire.openai import chat_reply, pieces

DONE = b"data: [DONE]\n\n"

encode = msgspec.json.Encoder().encode


def frames(request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
    """The events, the choices one after another. The last one's finish, the usage and the end mark are terminal."""
    head = b'data: {"id":%b,"object":"chat.completion.chunk","created":%d,"model":%b,' % (
        encode(stamp.id("chatcmpl-", 0)),
        stamp.created,
        encode(request.model),
    )
    head += b'"service_tier":"%b","system_fingerprint":"%b",' % (
        chat_reply.TIER.encode(),
        chat_reply.fingerprint(request.model).encode(),
    )
    tail = b',"usage":null}\n\n' if request.include_usage else b"}\n\n"
    finish = encode(chat_reply.finish_of(request, reply))
    events: list[bytes] = []
    for index in range(request.n):
        before = b'%b"choices":[{"index":%d,"delta":' % (head, index)
        after = b',"logprobs":null,"finish_reason":null}]' + tail
        events += [before + delta + after for delta in _deltas(request, reply, stamp, index, interleaved=interleaved)]
        events.append(b'%b{},"logprobs":null,"finish_reason":%b}]%b' % (before, finish, tail))
    terminal = 2
    if request.include_usage:
        usage = chat_reply.usage_body(tokens.usage_of(request, reply))
        events.append(b'%b"choices":[],"usage":%b}\n\n' % (head, encode(usage)))
        terminal += 1
    events.append(DONE)
    return Frames(events, terminal)


def _deltas(request: ModelRequest, reply: Reply, stamp: Stamp, index: int, *, interleaved: bool) -> Iterator[bytes]:
    """One choice: the role, what is said in words, what is refused, then the calls."""
    opening: dict[str, Any] = {"role": "assistant", "content": None if reply.text is None else "", "refusal": None}
    if reply.refusal is not None:
        opening["refusal"] = ""
    yield encode(opening)
    for word in pieces.words(reply.text or ""):
        yield b'{"content":%b}' % encode(word)
    for word in pieces.words(reply.refusal or ""):
        yield b'{"refusal":%b}' % encode(word)
    if not reply.calls:
        return
    if chat_reply.by_functions(request):
        yield from _function(reply.calls[0].name, reply.calls[0].arguments)
        return
    ids = chat_reply.call_ids(reply, stamp, index)
    calls = [_call(place, ids[place], call.name, call.arguments) for place, call in enumerate(reply.calls)]
    yield from _by_turns(calls) if interleaved else chain.from_iterable(calls)


def _call(place: int, name: str, tool: str, arguments: str) -> list[bytes]:
    """A call of a tool: first its id and name, then its arguments in pieces."""
    first = {"index": place, "id": name, "type": "function", "function": {"name": tool, "arguments": ""}}
    return [
        b'{"tool_calls":[%b]}' % encode(first),
        *(
            b'{"tool_calls":[{"index":%d,"function":{"arguments":%b}}]}' % (place, encode(piece))
            for piece in pieces.arguments(arguments)
        ),
    ]


def _function(name: str, arguments: str) -> Iterator[bytes]:
    """The same of the time before tools."""
    yield encode({"function_call": {"name": name, "arguments": ""}})
    for piece in pieces.arguments(arguments):
        yield b'{"function_call":{"arguments":%b}}' % encode(piece)


def _by_turns(calls: Iterable[list[bytes]]) -> Iterator[bytes]:
    for turn in zip_longest(*calls):
        yield from (delta for delta in turn if delta is not None)
