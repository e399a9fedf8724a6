"""One endpoint that asks a model something, from the body of a request to the steps of its answer.

The order: read, find valid (history too), count the attempt, decide; then latency, a fault in place of a reply, the
brain, a fault in what it says, and delivery. Knows brains by their protocol, and no provider's words.
"""

from __future__ import annotations

import inspect
import math
from asyncio import CancelledError
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from squall.call import EMBEDDINGS, BadRequest, ModelRequest, Reply
from squall.errors import LimitReached, SquallError
from squall.faults.at_model import Alter, Drop, Garble, Interleave, Refuse, Silence, Slow, Vectors
from squall.interpose import Exchange
from squall.models import NoMatch, history, scope
from squall.models.cut import cut
from squall.models.embeddings import vectors
from squall.models.instance import minimal, problem_with
from squall.models.tokens import of_vectors, usage_of
from squall.wire.dialect import Dialect, Shapes, Stamp
from squall.wire.http.steps import Await, Disconnected, Fin, HttpRequest, Reset, Steps, Wait
from squall.wire.provider.delivery import Delivery

if TYPE_CHECKING:
    from squall.wire.provider.provider import Provider

SECRET = ("auth", "key", "token", "secret", "cookie", "password", "credential")  # in the name of a header
OPEN = frozenset(("idempotency-key",))  # names that sound like it, and hold none
PASSING = (Disconnected, GeneratorExit, CancelledError, KeyboardInterrupt, LimitReached)  # what is no brain's own
SAID_OTHERWISE = "what was said cannot be made so"
FOREVER = 1e9  # seconds
GARBLED = 0.7  # how much of a malformed body is left
TOO_MANY, SERVER_ERROR = 429, 500
_encode = msgspec.json.Encoder().encode


class Endpoint:
    """Answers the requests to one endpoint. Does nothing by itself: it is asked for steps."""

    def __init__(self, provider: Provider, dialect: Dialect, shapes: Shapes) -> None:
        self.provider, self.dialect, self.shapes = provider, dialect, shapes

    def answer(self, http: HttpRequest) -> Steps:
        """The steps of one answer. `BadRequest` comes out of what the provider refuses."""
        request = self._read(http)
        exchange = self.provider.side.arrive(request, self.dialect.target, http.body)
        try:
            yield from self._exchange(exchange)
        except Disconnected:
            exchange.disconnected = True
            raise
        finally:
            exchange.finish()

    def _read(self, http: HttpRequest) -> ModelRequest:
        provider = self.provider
        body = decoded(http.body)
        request = self.dialect.read(body, without_secrets(http.headers))
        named = scope.scope_of(request)
        if named:
            request = msgspec.structs.replace(request, scope=named)
        if provider.plain_embeddings and request.encoding != "float":
            request = msgspec.structs.replace(request, encoding="float")
        if provider.is_strict(request):
            history.check(request)
        provider.admit(request)
        return request

    def _exchange(self, exchange: Exchange) -> Steps:
        if exchange.over:
            yield from _never()
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
        elif self.dialect.target.name == EMBEDDINGS:
            yield from self._embed(exchange, delivery)
        else:
            yield from self._reply(exchange, delivery)

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
        return delivery.body(refusal.status, _encode(exchange.response))

    def _embed(self, exchange: Exchange, delivery: Delivery) -> Steps:
        found = vectors(exchange.request)
        exchange.owner.spend(exchange, of_vectors(exchange.request))
        if exchange.over:
            yield from _never()
            return
        change = exchange.action("reply")
        worse = change.change(found) if isinstance(change, Vectors) else None
        exchange.spared["reply"] = SAID_OTHERWISE
        if worse is None:
            yield from self._whole(exchange, delivery, found)
            return
        exchange.fired("reply")
        if isinstance(change, Vectors) and change.reordered:
            places = {id(vector): place for place, vector in enumerate(found)}
            yield from self._whole(exchange, delivery, found, [places[id(vector)] for vector in worse])
        else:
            yield from self._whole(exchange, delivery, worse)

    def _reply(self, exchange: Exchange, delivery: Delivery) -> Steps:
        request = exchange.request
        try:
            said = self.provider.brain_for(request).answer(request)
            if not isinstance(said, Reply) and inspect.isawaitable(said):
                said = yield Await(said)
            reply = _fitting(request, said)
        except PASSING:
            raise
        except BaseException as error:  # noqa: BLE001 - of the test's own brain, pytest.fail too: the run fails
            yield from self._without_a_reply(delivery, error)
            return
        change = exchange.action("reply")
        if isinstance(change, Alter):
            worse = change.change(reply, request)
            if worse is not None:
                exchange.fired("reply")
                reply = worse
        exchange.spared["reply"] = SAID_OTHERWISE
        if reply.usage is None:
            reply = msgspec.structs.replace(reply, usage=usage_of(request, reply))
        exchange.reply = reply
        exchange.owner.spend(exchange, usage_of(request, reply))
        if exchange.over:
            yield from _never()
            return
        if request.stream and not (isinstance(exchange.action("answer"), Garble) and self._garbles(exchange)):
            interleaved = isinstance(exchange.action("pace"), Interleave) and len(reply.calls) > 1
            if interleaved:
                exchange.fired("pace")
            elif isinstance(exchange.action("pace"), Interleave):
                exchange.spared["pace"] = "the reply has no two calls"
            exchange.spared["answer"] = "the reply was a stream"
            stamp = Stamp(exchange.created, exchange.id)
            frames = self.dialect.frames(request, reply, stamp, interleaved=interleaved)
            if exchange.owner.tells:
                exchange.response = self.dialect.whole(request, reply, stamp)
            yield from delivery.stream(frames)
        else:
            yield from self._whole(exchange, delivery, reply)

    def _without_a_reply(self, delivery: Delivery, error: BaseException) -> Steps:
        """A brain that has no answer, an unfit one, or a bug: each fails the run."""
        self.provider.fail(error)
        if isinstance(error, NoMatch | UnfitAnswer):
            problem = BadRequest(str(error), code="no_matching_turn" if isinstance(error, NoMatch) else None)
        else:
            problem = BadRequest(self.shapes.in_words(SERVER_ERROR), status=SERVER_ERROR)
        exchange = delivery.exchange
        exchange.error = problem.message
        exchange.response = self.shapes.error(problem, exchange.id("req_"))
        return delivery.body(problem.status, _encode(exchange.response))

    def _garbles(self, exchange: Exchange) -> bool:
        """Whether a body comes in place of a stream: one that is an error's."""
        answer = exchange.action("answer")
        return isinstance(answer, Garble) and answer.what == "error"

    def _whole(self, exchange: Exchange, delivery: Delivery, reply: Any, order: Sequence[int] | None = None) -> Steps:
        """A body; `order`: its data come in another one, each with its own index."""
        stamp = Stamp(exchange.created, exchange.id)
        body = self.dialect.whole(exchange.request, reply, stamp)
        if order is not None:
            body["data"] = [body["data"][place] for place in order]
        answer = exchange.action("answer")
        if not isinstance(answer, Garble):
            exchange.response = body
            return delivery.body(200, _encode(body))
        exchange.fired("answer")
        if answer.what == "malformed_json":
            exchange.response = body
            content = _encode(body)
            return delivery.body(200, content[: int(len(content) * GARBLED)])
        if answer.what == "error":
            problem = BadRequest(self.shapes.in_words(answer.status), status=answer.status)
            exchange.error, exchange.response = problem.message, self.shapes.error(problem, exchange.id("req_"))
        else:
            exchange.response = self.dialect.empty(body)
        return delivery.body(200, _encode(exchange.response))


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that may be kept."""
    return {name: value for name, value in headers.items() if not _is_secret(name)}


@lru_cache(maxsize=1024)
def _is_secret(name: str) -> bool:
    """Whether a header of that name, in lower case, may hold what nobody should read."""
    return name not in OPEN and any(word in name for word in SECRET)


def decoded(body: bytes) -> Mapping[str, Any]:
    """A body of JSON. Raises `BadRequest` for what is none, and for what is no object."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadRequest(f"the body is not JSON: {error}", code="invalid_json") from None
    if not isinstance(found, dict):
        raise BadRequest("the body has to be a JSON object", code="invalid_json")
    return found


def _wait(refusal: Refuse) -> float:
    """For how many seconds it says that nothing is to be had."""
    if refusal.retry_after is not None:
        return refusal.retry_after
    return 1.0 if refusal.retry_after_ms is None else refusal.retry_after_ms / 1000


def _never() -> Steps:
    """No answer: the run has ended, and its clock ends the agent."""
    yield Wait(FOREVER, forever=True)
    yield Reset()


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


def _fitting(request: ModelRequest, reply: Reply) -> Reply:
    """The reply as the request allows it: an instance of its schema, with its stops and within its length."""
    _require_text(reply)
    if request.schema is not None and reply.refusal is None and not reply.calls:
        if reply.text is None:
            reply = msgspec.structs.replace(reply, text=_encode(minimal(request.schema)).decode())
        elif reply.finish in (None, "stop"):  # who cuts an answer off on purpose is not stopped
            _require_instance(reply.text, request.schema)
    return cut(reply, request)


def _require_text(reply: Reply) -> None:
    """A lone surrogate, half of a character, can be in no body."""
    for said in (reply.text, reply.refusal, reply.reasoning, *(use.arguments for use in reply.calls)):
        if said is not None and not said.isascii():
            try:
                said.encode()
            except UnicodeEncodeError as error:
                raise UnfitAnswer(f"what the brain says is no text that can be sent: {error}") from None


def _require_instance(text: str, schema: Mapping[str, Any]) -> None:
    try:
        problem = problem_with(msgspec.json.decode(text), schema)
    except msgspec.DecodeError as error:
        problem = f"it is not JSON ({error})"
    if problem:
        raise UnfitAnswer(f"what the brain says is no instance of the request's JSON Schema: {problem}")


class UnfitAnswer(SquallError):
    """The test's own brain said what the request does not allow. The run fails."""
