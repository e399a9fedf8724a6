"""A run's calls of SDKs that somebody else answers: a test's own fake of a model, whatever it is.

Each request that an SDK sends for a captured call is an attempt at a point, as one to the run's own provider is. Where
nothing is to happen to it, it goes on untouched. Else the fake's answer, or none, comes to the SDK with the fault.
Where the run serves a model itself, that one is asked, and all this is out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, cast

import msgspec

from squall.call import MODEL_TARGETS, BadRequest, ModelRequest, Target
from squall.capture.replies import target_at
from squall.clock import Clock
from squall.errors import is_weather
from squall.interpose import Exchange, ModelInterposer
from squall.models import scope
from squall.runs.given import given_by
from squall.runs.heard import listen
from squall.wire.anthropic.errors import AnthropicShapes
from squall.wire.anthropic.messages import Messages
from squall.wire.clients.in_place import aanswered, answered
from squall.wire.clients.threads import ToldOfThreads
from squall.wire.dialect import Dialect, Shapes
from squall.wire.openai.chat import Chat
from squall.wire.openai.embeddings import Embeddings
from squall.wire.openai.errors import OpenAIShapes
from squall.wire.openai.responses import Responses
from squall.wire.provider.endpoint import decoded, without_secrets
from squall.wire.provider.foreign import Foreign, asks

if TYPE_CHECKING:
    from squall.capture.calling import ModelCalling
    from squall.runs.environment import Environment

__tracebackhide__ = is_weather
WHERE = "a request to somebody else's model"
MESSAGES = MODEL_TARGETS["messages"].name
Send = Callable[[Any, Any], Any]


class Captured:
    """Stands between one run's SDKs and whoever answers them."""

    def __init__(self, run: Environment) -> None:
        self.clock: Clock = run.clock
        self.side = ModelInterposer(
            run.clock,
            plan=run.plan,
            limits=run.limits,
            recorder=run.recorder,
            seed=run.seed,
            run_index=run.run_index,
            volatile=run.interposer.volatile,
            numbers=run.interposer.numbers,
            keep=False,
            weather=run.weather,
        )
        dialects: tuple[Dialect, ...] = (Chat(), Responses(), Embeddings(), Messages())
        self._dialects: Mapping[str, Dialect] = {each.target.name: each for each in dialects}
        self._openai, self._anthropic = OpenAIShapes(), AnthropicShapes(run.clock.now)

    def send(self, send: Send, client: Any, request: Any, call: ModelCalling) -> Any:
        """The response to a request of a sync client."""
        exchange: Exchange | None = call.capture.guard(WHERE, self._arrive, request, call)
        if exchange is None:
            return send(client, request)
        if not _is_faulted(exchange):
            with _Untouched(exchange) as untouched:
                return untouched.got(send(client, request), request)
        return send(_Standing(client, _Faulted(self, exchange, client)), request)

    async def asend(self, send: Send, client: Any, request: Any, call: ModelCalling) -> Any:
        """The same of an async client."""
        exchange: Exchange | None = call.capture.guard(WHERE, self._arrive, request, call)
        if exchange is None:
            return await send(client, request)
        if not _is_faulted(exchange):
            with _Untouched(exchange) as untouched:
                return untouched.got(await send(client, request), request)
        return await send(_Standing(client, _Faulted(self, exchange, client)), request)

    # how the run ends, as a model says it

    @property
    def fired(self) -> Mapping[int, int]:
        """How often each rule has fired, by its place in the plan."""
        return self.side.fired

    @property
    def spared(self) -> Mapping[int, str]:
        """Why a rule that was reached last changed nothing."""
        return self.side.spared

    @property
    def limit_reached(self) -> str | None:
        """Why the run was ended, if it made too many requests."""
        return self.side.limit_reached

    def _arrive(self, request: Any, call: ModelCalling) -> Exchange | None:
        attempt, call.latest = call.latest, None  # none: it has been redirected
        name = target_at(request.url.path)
        if attempt is None or name is None:
            return None
        dialect = self._dialects[name]
        try:
            body = decoded(attempt.body)
        except BadRequest:  # whoever answers may know what it is
            return None
        asked = _read(dialect, body, without_secrets(dict(request.headers)))
        return self.side.arrive(asked, dialect.target, attempt.body)

    def foreign(self, exchange: Exchange, response: Any = None) -> Foreign:
        """The answer to a request, from the response that was given for it, which has been read."""
        target: Target = exchange.target
        shapes: Shapes = self._anthropic if target.name == MESSAGES else self._openai
        given = None if response is None else given_by(response, target.name)
        return Foreign(self._dialects[target.name], shapes, exchange, given)


class _Standing:
    """A client of httpx for one request, with another transport."""

    def __init__(self, client: Any, transport: _Faulted) -> None:
        self._squall = client, transport

    def _transport_for_url(self, _url: Any) -> _Faulted:
        return self._squall[1]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._squall[0], name)


class _Faulted:
    """The transport of one request that is in for a fault."""

    def __init__(self, captured: Captured, exchange: Exchange, client: Any) -> None:
        self._captured, self._exchange, self._client = captured, exchange, client

    def handle_request(self, request: Any) -> Any:
        """Ask whoever answers, where that is wanted, and bring what becomes of it."""
        response = None
        if asks(self._exchange):
            with _Untouched(self._exchange):
                response = self._transport(request).handle_request(request)
                try:
                    _bound(response, request).read()
                finally:
                    response.close()
        foreign = self._captured.foreign(self._exchange, response)
        clock = cast("Clock", ToldOfThreads(self._captured.clock))
        return answered(request, foreign.answer, foreign.refuse, clock)

    async def handle_async_request(self, request: Any) -> Any:
        """The same of an async client."""
        response = None
        if asks(self._exchange):
            with _Untouched(self._exchange):
                response = await self._transport(request).handle_async_request(request)
                try:
                    await _bound(response, request).aread()
                finally:
                    await response.aclose()
        foreign = self._captured.foreign(self._exchange, response)
        return await aanswered(request, foreign.answer, foreign.refuse, self._captured.clock)

    def _transport(self, request: Any) -> Any:
        return self._client._transport_for_url(request.url)  # noqa: SLF001 - no public name leads to it


class _Untouched:
    """The exchange of a request that goes on as it is: it ends with its response, or with what was raised."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None:
            self._exchange.spared = dict.fromkeys(self._exchange.due, "whoever was asked gave no answer")
            self._exchange.finish()

    def got(self, response: Any, request: Any) -> Any:
        """There is one. Where nobody else records it in the run's trace, it is heard first."""
        self._exchange.status = response.status_code
        if self._exchange.recorded:
            self._end()
        else:
            listen(response, request, self._heard)
        return response

    def _heard(self, response: Any) -> None:
        given = given_by(response, self._exchange.target.name)
        self._exchange.reply = given.read()
        self._end()

    def _end(self) -> None:
        self._exchange.complete = True
        self._exchange.finish()


def _is_faulted(exchange: Exchange) -> bool:
    return bool(exchange.due) or exchange.over or exchange.latency > 0 or exchange.retry_after is not None


def _bound(response: Any, request: Any) -> Any:
    response.request = request  # else it has no path, and says so
    return response


def _read(dialect: Dialect, body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
    """The request in a body; as far as can be told, where squall's own provider would refuse it."""
    try:
        request = dialect.read(body, headers)
        named = scope.scope_of(request)
    except BadRequest:
        name: Any = dialect.target.name.removeprefix("model.")
        model, streams = str(body.get("model") or ""), body.get("stream") is True
        packed: Any = "base64" if body.get("encoding_format") == "base64" else "float"
        return ModelRequest(endpoint=name, model=model, stream=streams, encoding=packed, headers=headers, body=body)
    return msgspec.structs.replace(request, scope=named) if named else request
