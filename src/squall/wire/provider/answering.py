"""What happens to an answer, whoever says it: nothing comes, something else comes, or what is said is made worse.

The order: latency, a fault in place of a reply, what is said, a fault in that, and delivery. Knows actions of faults,
and neither where requests come from nor who answers them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import msgspec

from squall.call import BadRequest, Reply
from squall.faults.at_model import Alter, Drop, Garble, Interleave, Refuse, Silence, Slow, Vector, Vectors
from squall.interpose import Exchange
from squall.interpose.drive import FOREVER
from squall.wire.dialect import Dialect, Shapes, Stamp
from squall.wire.http.steps import Disconnected, Fin, Reset, Steps, Stopped, Wait
from squall.wire.provider.delivery import Delivery

SAID_OTHERWISE = "what was said cannot be made so"
GARBLED = 0.7  # how much of a malformed body is left
TOO_MANY = 429
encode = msgspec.json.Encoder().encode


class Answering:
    """The answers of one endpoint. Does nothing by itself: it is asked for steps."""

    def __init__(self, dialect: Dialect, shapes: Shapes) -> None:
        self.dialect, self.shapes = dialect, shapes

    @abstractmethod
    def _say(self, exchange: Exchange, delivery: Delivery) -> Steps:
        """What is said, where nothing comes in its place."""
        raise NotImplementedError

    def following(self, exchange: Exchange) -> Steps:
        """The steps of the answer to a request that has arrived."""
        try:
            yield from self._exchange(exchange)
        except Disconnected as gone:
            exchange.disconnected = not isinstance(gone, Stopped)
            raise
        finally:
            exchange.finish()

    def _exchange(self, exchange: Exchange) -> Steps:
        if exchange.over:
            yield from never()
            return
        yield from self._latency(exchange)
        answer = exchange.action("answer")
        delivery = Delivery(exchange, self.shapes.headers(exchange.id("req_")), self.shapes)
        if exchange.retry_after is not None:
            answer = Refuse(TOO_MANY, retry_after=max(1, math.ceil(exchange.retry_after)))
            yield from self._refuse(delivery, answer)
        elif isinstance(answer, Refuse):
            exchange.fired("answer")
            yield from self._refuse(delivery, answer)
        elif isinstance(answer, Silence | Drop):
            yield from _no_answer(exchange, answer)
        else:
            yield from self._say(exchange, delivery)

    def _latency(self, exchange: Exchange) -> Steps:
        if exchange.latency:
            yield Wait(exchange.latency)
        slow = exchange.action("wait")
        if isinstance(slow, Slow):
            measured, clock = exchange.fired("wait"), exchange.owner.clock
            began = clock.elapsed()
            try:
                yield Wait(slow.seconds, capped=not slow.stated)
            finally:
                measured["seconds"] = round(clock.elapsed() - began, 6)

    def _refuse(self, delivery: Delivery, refusal: Refuse) -> Steps:
        exchange = delivery.exchange
        message = refusal.message or self.shapes.in_words(refusal.status)
        problem = BadRequest(message, status=refusal.status, code=refusal.code)
        exchange.error = message
        exchange.response = self.shapes.error(problem, exchange.id("req_"))
        headers = delivery.headers = dict(delivery.headers)
        if refusal.status == TOO_MANY:
            headers |= self.shapes.headers(exchange.id("req_"), spent=_wait(refusal))
        if refusal.retry_after is not None:
            headers["retry-after"] = f"{refusal.retry_after:g}"
        if refusal.retry_after_ms is not None:
            headers["retry-after-ms"] = f"{refusal.retry_after_ms:g}"
        if refusal.should_retry is not None:
            headers["x-should-retry"] = str(refusal.should_retry).lower()
        return delivery.body(refusal.status, encode(exchange.response))

    def _worse(self, exchange: Exchange, reply: Reply) -> Reply | None:
        """A reply made worse; None where nothing of it is to be, or can be."""
        change = exchange.action("reply")
        exchange.spared["reply"] = SAID_OTHERWISE
        worse = change.change(reply, exchange.request) if isinstance(change, Alter) else None
        if worse is not None:
            exchange.fired("reply")
        return worse

    def _worse_vectors(self, exchange: Exchange, found: list[Vector]) -> tuple[list[Vector], list[int] | None] | None:
        """The same of vectors, with the places where they come where these are others: each keeps its own index."""
        change = exchange.action("reply")
        exchange.spared["reply"] = SAID_OTHERWISE
        worse = change.change(found) if isinstance(change, Vectors) else None
        if worse is None:
            return None
        exchange.fired("reply")
        if not (isinstance(change, Vectors) and change.reordered):
            return worse, None
        places = {id(vector): place for place, vector in enumerate(found)}
        return found, [places[id(vector)] for vector in worse]

    def _vectors(self, exchange: Exchange, found: list[Vector], order: list[int] | None = None) -> dict[str, Any]:
        """The body that holds vectors."""
        body = self.dialect.whole(exchange.request, found, Stamp(exchange.created, exchange.id))
        if order is not None:
            body["data"] = [body["data"][place] for place in order]
        return body

    def _interleaves(self, exchange: Exchange, reply: Reply) -> bool:
        """Whether the calls in a stream take turns."""
        if not isinstance(exchange.action("pace"), Interleave):
            return False
        if len(reply.calls) > 1:
            exchange.fired("pace")
            return True
        exchange.spared["pace"] = "the reply has no two calls"
        return False

    def _streams(self, exchange: Exchange) -> bool:
        """Whether an answer that is a stream stays one: the body of an error comes in place of it."""
        answer = exchange.action("answer")
        if isinstance(answer, Garble) and answer.what == "error":
            return False
        exchange.spared["answer"] = "the reply was a stream"
        return True

    def _body(
        self, exchange: Exchange, delivery: Delivery, body: dict[str, Any], content: bytes | None = None
    ) -> Steps:
        """A success that is one body, or what becomes of it. `content`: its bytes, where they are there already."""
        answer = exchange.action("answer")
        exchange.response = body
        if isinstance(answer, Garble):
            exchange.fired("answer")
            if answer.what == "malformed_json":
                whole = encode(body) if content is None else content
                return delivery.body(200, whole[: int(len(whole) * GARBLED)])
            if answer.what == "error":
                problem = BadRequest(self.shapes.in_words(answer.status), status=answer.status)
                exchange.error, exchange.response = problem.message, self.shapes.error(problem, exchange.id("req_"))
            else:
                exchange.response = self.dialect.empty(body)
            content = None
        return delivery.body(200, encode(exchange.response) if content is None else content)


def never() -> Steps:
    """No answer: the run has ended, and its clock ends the agent."""
    yield Wait(FOREVER, forever=True)
    yield Reset()


def _wait(refusal: Refuse) -> float:
    """For how many seconds it says that nothing is to be had."""
    if refusal.retry_after is not None:
        return refusal.retry_after
    return 1.0 if refusal.retry_after_ms is None else refusal.retry_after_ms / 1000


def _no_answer(exchange: Exchange, answer: Silence | Drop) -> Steps:
    measured = exchange.fired("answer")
    if isinstance(answer, Drop):
        exchange.injected = True
        yield Fin() if answer.how == "fin" else Reset()
        return
    clock = exchange.owner.clock
    began = clock.elapsed()
    try:
        yield Wait(FOREVER if answer.forever else answer.seconds, capped=not answer.stated, forever=answer.forever)
    finally:
        measured["seconds"] = round(clock.elapsed() - began, 6)
    exchange.injected = True
    yield Fin()
