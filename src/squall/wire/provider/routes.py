"""Which request is answered by whom: the paths of the providers, and squall's own few under `/_mock/`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from squall.call import BadRequest
from squall.errors import nearest
from squall.models import scope
from squall.wire.anthropic import count_tokens
from squall.wire.anthropic import models as anthropic_models
from squall.wire.anthropic.errors import AnthropicShapes
from squall.wire.anthropic.messages import Messages
from squall.wire.dialect import Frames, Shapes
from squall.wire.http.response import whole
from squall.wire.http.steps import Disconnected, HttpRequest, Send, Steps, Stopped
from squall.wire.openai import models as openai_models
from squall.wire.openai.chat import Chat
from squall.wire.openai.embeddings import Embeddings
from squall.wire.openai.errors import OpenAIShapes
from squall.wire.openai.responses import Responses
from squall.wire.provider.delivery import streamed
from squall.wire.provider.endpoint import Endpoint, decoded, object_in, without_secrets
from squall.wire.provider.unasked import Unasked

if TYPE_CHECKING:
    from squall.wire.provider.provider import Provider

JSON = {"content-type": "application/json"}
SCOPES = "/_mock/scopes/"
VERSION = "anthropic-version"
Body = dict[str, Any]
_encode = msgspec.json.Encoder().encode


class Routes:
    """The routes of one provider."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._openai, self._anthropic = OpenAIShapes(), AnthropicShapes(provider.side.clock.now)
        chat, responses = Chat(), Responses()
        self._completions, self._responses, self._input_tokens = chat.kept, responses.kept, responses.input_tokens
        self._asks = {
            "/v1/chat/completions": Endpoint(provider, chat, self._openai),
            "/v1/responses": Endpoint(provider, responses, self._openai),
            "/v1/embeddings": Endpoint(provider, Embeddings(), self._openai),
            "/v1/messages": Endpoint(provider, Messages(), self._anthropic),
        }

    def shapes_for(self, http: HttpRequest) -> Shapes:
        """Whose words an answer is in."""
        return self._anthropic if VERSION in http.headers else self.shapes_at(http.path)

    def shapes_at(self, path: str) -> Shapes:
        """The same where nothing but the path is known."""
        return self._anthropic if path.startswith("/v1/messages") else self._openai

    def answer(self, http: HttpRequest) -> Steps:
        """The steps of one answer. Raises `BadRequest` for what nobody answers."""
        endpoint = self._asks.get(http.path)
        if endpoint is not None and http.method == "POST":
            return endpoint.answer(http)
        return self._at_once(http)

    def _at_once(self, http: HttpRequest) -> Steps:
        """What asks no model anything."""
        began = self._provider.side.clock.elapsed()
        found = self._found(http)
        headers = self.shapes_for(http).headers(self._provider.request_id())
        if isinstance(found, Frames):
            sent = Send(streamed(headers, found.events))
        else:
            sent = Send(whole(200, {**JSON, **headers}, _encode(found)))
        if self._provider.on_unasked:
            yield from self._told(self._unasked(http, found, began), sent)
        else:
            yield sent

    def _unasked(self, http: HttpRequest, found: Body | Frames, began: float) -> Unasked:
        asked, headers = object_in(http), without_secrets(http.headers)
        last = http.path.rpartition("/")[2]
        named = last if http.path.startswith(SCOPES) else scope.named(asked or {}, headers)
        response = self._responses.retrieve(last) if isinstance(found, Frames) else found
        return Unasked(http.path, asked, headers, named, response, began)

    def _told(self, unasked: Unasked, sent: Send) -> Steps:
        """Send an answer, and tell whoever listens what came of it."""
        try:
            yield sent
            unasked.complete = True
        except Disconnected as gone:
            unasked.disconnected = not isinstance(gone, Stopped)
            raise
        finally:
            unasked.ended = self._provider.side.clock.elapsed()
            for tell in self._provider.on_unasked:
                tell(unasked)

    def _found(self, http: HttpRequest) -> Body | Frames:
        parts = http.path.removeprefix("/").split("/")
        methods = ["POST"] if http.path in self._asks else []
        for pattern, answer in self._table():
            method, *wanted = pattern.split("/")
            named = _named(parts, wanted)
            if named is not None and method == http.method:
                return answer(http, *named)
            if named is not None:
                methods.append(method)
        if methods:
            raise NotAllowed(http, list(dict.fromkeys(methods)))
        raise BadRequest(self._unknown(http), status=404, code="unknown_url")

    def _table(self) -> Iterator[tuple[str, Callable[..., Body | Frames]]]:
        stored = self._completions
        yield "GET/v1/models", self._models
        yield "GET/v1/models/**", self._model
        yield "DELETE/v1/models/**", lambda _http, name: openai_models.deleted(name)
        yield "GET/v1/chat/completions", lambda http: stored.listing(http.query)
        yield "GET/v1/chat/completions/*", lambda _http, name: stored.retrieve(name)
        yield "POST/v1/chat/completions/*", lambda http, name: stored.update(name, decoded(http.body))
        yield "DELETE/v1/chat/completions/*", lambda _http, name: stored.delete(name)
        yield "GET/v1/chat/completions/*/messages", lambda http, name: stored.messages(name, http.query)
        kept = self._responses
        yield "POST/v1/responses/input_tokens", self._count_input
        yield "GET/v1/responses/*", self._response
        yield "DELETE/v1/responses/*", lambda _http, name: kept.delete(name)
        yield "POST/v1/responses/*/cancel", lambda _http, name: kept.cancel(name)
        yield "GET/v1/responses/*/input_items", lambda http, name: kept.input_items(name, http.query)
        yield "POST/v1/messages/count_tokens", self._count
        yield "GET/_mock/health", lambda _http: {"status": "ok"}
        yield f"DELETE{SCOPES}*", self._release

    def _models(self, http: HttpRequest) -> Body:
        names = self._provider.models
        return anthropic_models.page(names, http.query) if VERSION in http.headers else openai_models.listing(names)

    def _model(self, http: HttpRequest, name: str) -> Body:
        names = [*self._provider.models, *([] if self._provider.strict_models else [name])]
        if VERSION in http.headers:
            return anthropic_models.one(names, name)
        if name not in names:
            raise openai_models.not_found(name)
        return openai_models.one(name)

    def _response(self, http: HttpRequest, name: str) -> Body | Frames:
        if http.query.get("stream") == "true":
            return self._responses.stream(name, http.query)
        return self._responses.retrieve(name)

    def _count(self, http: HttpRequest) -> Body:
        request = count_tokens.read(decoded(http.body), http.headers)
        self._provider.know(request.model)
        return count_tokens.whole(request)

    def _count_input(self, http: HttpRequest) -> Body:
        body = decoded(http.body)
        counted = self._input_tokens(body)
        if body.get("model"):
            self._provider.know(body["model"])
        return counted

    def _release(self, _http: HttpRequest, name: str) -> Body:
        scope.checked(name, "the path")
        return {"scope": name, "released": self._provider.side.release(name)}

    def _unknown(self, http: HttpRequest) -> str:
        message = f"unknown request URL: {http.method} {http.path}"
        if f"/v1{http.path}" in self._asks:
            return f"{message}; the base URL of this provider ends with /v1"
        known = [*self._asks, *(pattern[pattern.index("/") :] for pattern, _ in self._table() if "*" not in pattern)]
        close = nearest(http.path.replace("/v1/v1/", "/v1/"), known)
        return f"{message}; did you mean {close}?" if close else message


class NotAllowed(BadRequest):
    """The path is known, and answers to other methods."""

    def __init__(self, http: HttpRequest, methods: list[str]) -> None:
        self.allow = ", ".join(methods)
        super().__init__(
            f"{http.method} is not allowed at {http.path}, which takes {self.allow}",
            status=405,
            code="method_not_allowed",
        )


def _named(parts: list[str], wanted: list[str]) -> list[str] | None:
    """The parts of a path that stand where a pattern has `*`, or `**` for all the rest; None where it does not fit."""
    if wanted[-1] == "**" and len(parts) > len(wanted):
        parts = [*parts[: len(wanted) - 1], "/".join(parts[len(wanted) - 1 :])]
    if len(parts) != len(wanted):
        return None
    pairs = list(zip(parts, wanted, strict=True))
    fits = all(part and (want == part or want.startswith("*")) for part, want in pairs)
    return [part for part, want in pairs if want.startswith("*")] if fits else None
