"""One endpoint that asks a model something, from the body of a request to the steps of its answer.

The order: read, find valid (history too), count the attempt, decide; then what happens to all answers (`answering`).
Knows brains by their protocol, and no provider's words.
"""

from __future__ import annotations

import inspect
from asyncio import CancelledError
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from squall.call import EMBEDDINGS, BadRequest, ModelRequest, Reply, holds_secret
from squall.errors import LimitReached, SquallError
from squall.interpose import Exchange
from squall.models import NoMatch, history, scope
from squall.models.cut import cut
from squall.models.embeddings import vectors
from squall.models.instance import minimal, problem_with
from squall.models.tokens import of_vectors, usage_of
from squall.wire.dialect import Dialect, Shapes, Stamp
from squall.wire.http.steps import Await, Disconnected, HttpRequest, Steps
from squall.wire.provider.answering import Answering, encode, never
from squall.wire.provider.delivery import Delivery

if TYPE_CHECKING:
    from squall.wire.provider.provider import Provider

PASSING = (Disconnected, GeneratorExit, CancelledError, KeyboardInterrupt, LimitReached)  # what is no brain's own
SERVER_ERROR = 500
DEEPEST = 256  # levels of JSON; far more than a request has, and far fewer than Python can go down
MCP, HIDDEN = b'"mcp', "<hidden>"
TOO_DEEP = f"the body has more than {DEEPEST} levels of objects and arrays"


class Endpoint(Answering):
    """Answers the requests to one endpoint by the provider's brains."""

    def __init__(self, provider: Provider, dialect: Dialect, shapes: Shapes) -> None:
        super().__init__(dialect, shapes)
        self.provider = provider

    def answer(self, http: HttpRequest) -> Steps:
        """The steps of one answer. `BadRequest` comes out of what the provider refuses."""
        request = self._read(http)
        yield from self.following(self.provider.side.arrive(request, self.dialect.target, http.body))

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

    def _say(self, exchange: Exchange, delivery: Delivery) -> Steps:
        if self.dialect.target.name == EMBEDDINGS:
            return self._embed(exchange, delivery)
        return self._reply(exchange, delivery)

    def _embed(self, exchange: Exchange, delivery: Delivery) -> Steps:
        found = vectors(exchange.request)
        exchange.owner.spend(exchange, of_vectors(exchange.request))
        if exchange.over:
            yield from never()
            return
        worse, order = self._worse_vectors(exchange, found) or (found, None)
        yield from self._body(exchange, delivery, self._vectors(exchange, worse, order))

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
        worse = self._worse(exchange, reply)
        reply = reply if worse is None else worse
        if reply.usage is None:
            reply = msgspec.structs.replace(reply, usage=usage_of(request, reply))
        exchange.reply = reply
        exchange.owner.spend(exchange, usage_of(request, reply))
        if exchange.over:
            yield from never()
            return
        if request.stream and self._streams(exchange):
            interleaved = self._interleaves(exchange, reply)
            stamp = Stamp(exchange.created, exchange.id)
            frames = self.dialect.frames(request, reply, stamp, interleaved=interleaved)
            if exchange.owner.tells:
                exchange.response = self.dialect.whole(request, reply, stamp)
            yield from delivery.stream(frames)
        else:
            body = self.dialect.whole(request, reply, Stamp(exchange.created, exchange.id))
            yield from self._body(exchange, delivery, body)

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
        return delivery.body(problem.status, encode(exchange.response))


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that may be kept."""
    return {name: value for name, value in headers.items() if not holds_secret(name)}


def decoded(body: bytes) -> Mapping[str, Any]:
    """A body of JSON, without what it tells others in secret.

    Raises `BadRequest` for what is no JSON, for what is no object, and for what nobody can go down.
    """
    try:
        found = msgspec.json.decode(body)
    except RecursionError:
        raise BadRequest(TOO_DEEP, code="invalid_json") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRequest(f"the body is not JSON: {error}", code="invalid_json") from None
    if not isinstance(found, dict):
        raise BadRequest("the body has to be a JSON object", code="invalid_json")
    if body.count(b"{") + body.count(b"[") > DEEPEST and _is_too_deep(found):
        raise BadRequest(TOO_DEEP, code="invalid_json")
    if MCP in body:
        _hide_secrets(found)
    return found


def object_in(http: HttpRequest) -> Mapping[str, Any] | None:
    """The body of a request as far as it can be read, for whoever is told of it."""
    try:
        return decoded(http.body)
    except BadRequest:
        return None


def _hide_secrets(body: Mapping[str, Any]) -> None:
    """Take out what is to let the provider into MCP servers: it goes nowhere, and into no record."""
    tools, servers = body.get("tools"), body.get("mcp_servers")
    for each in [*(tools if isinstance(tools, list) else ()), *(servers if isinstance(servers, list) else ())]:
        if isinstance(each, dict):
            if each.get("type") == "mcp":
                each.pop("authorization", None)
                if isinstance(each.get("headers"), dict):
                    each["headers"] = dict.fromkeys(each["headers"], HIDDEN)
            each.pop("authorization_token", None)


def _is_too_deep(found: Any) -> bool:
    """Whether a value has more levels than are gone down. Looks at one level after the other."""
    level = [found]
    for _ in range(DEEPEST):
        inner = (each.values() if type(each) is dict else each for each in level)
        level = [value for values in inner for value in values if type(value) in (dict, list)]
        if not level:
            return False
    return True


def _fitting(request: ModelRequest, reply: Reply) -> Reply:
    """The reply as the request allows it: an instance of its schema, with its stops and within its length."""
    _require_text(reply)
    if request.schema is not None and reply.refusal is None and not reply.calls:
        if reply.text is None:
            reply = msgspec.structs.replace(reply, text=encode(minimal(request.schema)).decode())
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
