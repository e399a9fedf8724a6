"""Tokens, counted without any vendor's tables: words in pieces, about four characters each in English.

Plausible, never exact: what a provider bills depends on its model. The same text always has the same tokens, and a text
is its tokens put together again, so what is counted can also be cut. Knows no protocol.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec

from squall.call import Message, ModelRequest, Reply, ToolOffer, Usage

PER_MESSAGE = 3  # who speaks, and where a message begins and ends
PER_CALL = 3
PER_TOOL = 4
PER_PART = 4  # of a message's content beyond its first: a picture or a document that has no text here
CHARACTERS = 4
REMEMBERED, LONGEST = 1024, 2048  # texts, and characters of one: at most a few megabytes

PIECES = re.compile(r" ?[A-Za-z]{1,8}| ?[0-9]{1,3}| ?[^\w\s]{1,3}| ?\w{1,2}|\s{1,8}")
"""Any text is a sequence of these without gaps. Letters of other alphabets count for more, as they do in real ones."""


def split(text: str) -> list[str]:
    """The tokens of a text, which together are the text."""
    return PIECES.findall(text)


def count(text: str) -> int:
    """How many tokens a text has; none if it is empty."""
    return _remembered(text) if len(text) <= LONGEST else sum(1 for _ in PIECES.finditer(text))


def first(text: str, tokens: int) -> str:
    """The beginning of a text, up to so many tokens."""
    if tokens <= 0:
        return ""
    last = next(islice(PIECES.finditer(text), tokens - 1, None), None)
    return text if last is None else text[: last.end()]


def of_request(request: ModelRequest) -> int:
    """Tokens of all that a request sends to the model: messages and tools, or the inputs of embeddings."""
    if request.endpoint == "embeddings":
        return sum(count(one) if isinstance(one, str) else len(one) for one in request.inputs)
    return PER_MESSAGE + sum(map(_of_message, request.messages)) + sum(map(_of_tool, request.tools))


def of_reply(reply: Reply) -> int:
    """Tokens that a model has produced for one reply, its reasoning included."""
    said = sum(count(text) for text in (reply.reasoning, reply.text, reply.refusal) if text)
    return said + sum(PER_CALL + count(call.name) + count(call.arguments) for call in reply.calls)


def usage_of(request: ModelRequest, reply: Reply) -> Usage:
    """What a reply says of its tokens, or else what is counted here; of all choices, where several are asked for."""
    if reply.usage is not None:
        return reply.usage
    reasoning = count(reply.reasoning) if reply.reasoning else 0
    return Usage(of_request(request), of_reply(reply) * request.n, reasoning=reasoning * request.n)


def of_vectors(request: ModelRequest) -> Usage:
    """The same of a request for embeddings: nothing is produced but vectors."""
    return Usage(of_request(request), 0)


def of_texts(texts: Sequence[str]) -> int:
    """Tokens of several texts."""
    return sum(map(count, texts))


def _of_message(message: Message) -> int:
    tokens = PER_MESSAGE + count(message.text)
    if message.parts > 1:
        tokens += PER_PART * (message.parts - 1)
    for call in message.calls:
        tokens += PER_CALL + count(call.name) + count(call.arguments)
    return tokens


def _of_tool(tool: ToolOffer) -> int:
    return PER_TOOL + count(tool.name) + count(tool.description) + _of_json(tool.schema)


def _of_json(value: Mapping[str, Any]) -> int:
    return -(-len(msgspec.json.encode(value)) // CHARACTERS) if value else 0


@lru_cache(maxsize=REMEMBERED)
def _remembered(text: str) -> int:
    """A conversation repeats its texts in each request."""
    return len(PIECES.findall(text))
