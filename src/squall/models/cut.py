"""Where a reply ends early: at one of the request's stop sequences, or when it has used up its tokens."""

from __future__ import annotations

import msgspec

from squall.call import ModelRequest, Reply, ToolUse
from squall.models import tokens


def cut(reply: Reply, request: ModelRequest) -> Reply:
    """The reply as far as the request lets it go; the same one if that is all of it.

    Its text ends before the first stop sequence, and no call comes after that. What goes beyond `max_tokens` is cut off
    in the order in which a model says it: reasoning, text, calls, whose arguments may end anywhere.
    """
    if request.stop and reply.text:
        reply = _stopped(reply, reply.text, request.stop)
    limit = request.max_tokens
    if limit is None or _most(reply) <= limit or tokens.of_reply(reply) <= limit:
        return reply
    return _limited(reply, limit)


def _stopped(reply: Reply, text: str, sequences: tuple[str, ...]) -> Reply:
    found = [(at, order) for order, one in enumerate(sequences) if one and (at := text.find(one)) >= 0]
    if not found:
        return reply
    at, order = min(found)
    return msgspec.structs.replace(reply, text=text[:at], calls=(), finish="stop", stopped_by=sequences[order])


def _limited(reply: Reply, left: int) -> Reply:
    said: list[str | None] = []
    for text in (reply.reasoning, reply.text, reply.refusal):
        kept = text and tokens.first(text, left)
        left -= tokens.count(kept) if kept else 0
        said.append(kept)
    calls: list[ToolUse] = []
    for call in reply.calls:
        left -= tokens.PER_CALL + tokens.count(call.name)
        if left <= 0:
            break
        calls.append(msgspec.structs.replace(call, arguments=tokens.first(call.arguments, left)))
        left -= tokens.count(call.arguments)
    reasoning, words, refusal = said
    return msgspec.structs.replace(
        reply, text=words, refusal=refusal, reasoning=reasoning, calls=tuple(calls), finish="length", stopped_by=None
    )


def _most(reply: Reply) -> int:
    """More tokens than this it cannot have: none is shorter than a character."""
    said = len(reply.reasoning or "") + len(reply.text or "") + len(reply.refusal or "")
    return said + sum(tokens.PER_CALL + len(call.name) + len(call.arguments) for call in reply.calls)
