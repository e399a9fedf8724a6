"""The faults of an answer that somebody else has given: a test's own fake of a model, asked already or not at all.

What no fault changes goes on byte for byte; what a fault says otherwise is written in the provider's shape, in place of
those parts of the body that say it. Knows no client, and reads no answer: it is told what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from squall.call import EMBEDDINGS, Reply
from squall.faults.at_model import Drop, Garble, Refuse, Silence, Vector
from squall.interpose import Exchange
from squall.wire.dialect import Dialect, Frames, Shapes, Stamp
from squall.wire.http.response import whole
from squall.wire.http.steps import HttpRequest, Malformed, Steps
from squall.wire.provider.answering import Answering
from squall.wire.provider.delivery import Delivery

FIRST_ELSEWHERE, FIRST_ERROR = 300, 400  # of HTTP's statuses
SAID_IN = frozenset(
    ("choices", "content", "stop_reason", "stop_sequence", "stop_details", "output", "status", "incomplete_details")
)
"""The parts of a body in which a model's reply stands, of all providers."""
AN_ERROR, ELSEWHERE = "the answer was an error", "the answer led to another address"
NOT_READ = "squall cannot read the answer"


class Given(msgspec.Struct, frozen=True):
    """An answer as it came: a body, or the events of a stream. `read` gives what it says; None: that cannot be told.

    `vectors` gives those of an answer that has some.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes
    read: Callable[[], Reply | None]
    frames: Frames | None = None
    vectors: Callable[[], list[Vector]] = list


class Foreign(Answering):
    """Answers one request with what was given for it, under the faults of its exchange."""

    def __init__(self, dialect: Dialect, shapes: Shapes, exchange: Exchange, given: Given | None = None) -> None:
        super().__init__(dialect, shapes)
        self._exchanged, self._given = exchange, given

    def answer(self, _http: HttpRequest) -> Steps:
        """The steps of the answer."""
        return self.following(self._exchanged)

    @staticmethod
    def refuse(malformed: Malformed) -> bytes:
        """The response to what is no request at all."""
        return whole(malformed.status, {"connection": "close"}, malformed.message.encode())

    def _say(self, exchange: Exchange, delivery: Delivery) -> Steps:
        given = self._given
        assert given is not None  # noqa: S101 - it was asked for, since it is wanted
        delivery.headers = given.headers
        if given.status >= FIRST_ELSEWHERE:
            why = AN_ERROR if given.status >= FIRST_ERROR else ELSEWHERE
            exchange.spared |= dict.fromkeys(("answer", "reply"), why)
            exchange.error = why
            return delivery.body(given.status, given.content)
        if exchange.target.name == EMBEDDINGS:
            return self._embed(exchange, delivery, given)
        reply = given.read()
        worse = None if reply is None else self._worse(exchange, reply)
        exchange.reply = worse or reply
        if reply is None:
            exchange.spared["reply"] = NOT_READ
        if given.frames is not None and self._streams(exchange):
            return self._stream(exchange, delivery, given.frames, reply, worse)
        return self._plain(exchange, delivery, given, worse)

    def _embed(self, exchange: Exchange, delivery: Delivery, given: Given) -> Steps:
        found = given.vectors()
        worse = self._worse_vectors(exchange, found) if found else None
        if worse is None:
            exchange.spared.setdefault("reply", NOT_READ)
            return self._plain(exchange, delivery, given, None)
        data = self._vectors(exchange, *worse)["data"]
        return self._body(exchange, delivery, {**_decoded(given.content), "data": data})

    def _stream(
        self, exchange: Exchange, delivery: Delivery, frames: Frames, reply: Reply | None, worse: Reply | None
    ) -> Steps:
        said = worse or reply
        interleaved = said is not None and self._interleaves(exchange, said)
        if said is not None and (worse is not None or interleaved):
            stamp = Stamp(exchange.created, exchange.id)
            frames = self.dialect.frames(exchange.request, said, stamp, interleaved=interleaved)
        return delivery.stream(frames)

    def _plain(self, exchange: Exchange, delivery: Delivery, given: Given, worse: Reply | None) -> Steps:
        body = _decoded(given.content)
        if worse is not None:
            said = self.dialect.whole(exchange.request, worse, Stamp(exchange.created, exchange.id))
            return self._body(exchange, delivery, {**body, **{name: said[name] for name in SAID_IN if name in said}})
        answer = exchange.action("answer")
        if isinstance(answer, Garble) and answer.what == "empty" and not body:
            exchange.spared["answer"] = NOT_READ
            return delivery.body(given.status, given.content)
        return self._body(exchange, delivery, body, given.content)


def asks(exchange: Exchange) -> bool:
    """Whether somebody has to be asked for an answer, which the faults of an exchange then change."""
    nothing = exchange.over or exchange.retry_after is not None
    return not nothing and not isinstance(exchange.action("answer"), Refuse | Silence | Drop)


def _decoded(content: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
