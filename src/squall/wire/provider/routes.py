"""Which request is answered by whom: the paths of the providers, and squall's own few under `/_mock/`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from squall.call import BadRequest
from squall.wire.anthropic import count_tokens
from squall.wire.anthropic import models as anthropic_models
from squall.wire.anthropic.errors import AnthropicShapes
from squall.wire.anthropic.messages import Messages
from squall.wire.dialect import Shapes
from squall.wire.http.response import whole
from squall.wire.http.steps import HttpRequest, Send, Steps
from squall.wire.openai import models as openai_models
from squall.wire.openai.chat import Chat
from squall.wire.openai.embeddings import Embeddings
from squall.wire.openai.errors import OpenAIShapes
from squall.wire.openai.responses import Responses
from squall.wire.provider.endpoint import Endpoint, decoded

if TYPE_CHECKING:
    from squall.wire.provider.provider import Provider

JSON = {"content-type": "application/json"}
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
        shapes = self.shapes_for(http)
        headers = {**JSON, **shapes.headers("req_" + http.path.strip("/").replace("/", "_"))}
        yield Send(whole(200, headers, _encode(self._body(http))))

    def _body(self, http: HttpRequest) -> Body:
        parts = [part for part in http.path.split("/") if part]
        for pattern, answer in self._table():
            method, *wanted = pattern.split("/")
            if method == http.method and len(wanted) == len(parts):
                named = [part for part, want in zip(parts, wanted, strict=True) if want == "*"]
                if all(want in ("*", part) for part, want in zip(parts, wanted, strict=True)):
                    return answer(http, *named)
        raise BadRequest(self._unknown(http), status=404, code="unknown_url")

    def _table(self) -> Iterator[tuple[str, Callable[..., Body]]]:
        stored = self._completions
        yield "GET/v1/models", self._models
        yield "GET/v1/models/*", self._model
        yield "DELETE/v1/models/*", lambda _http, name: openai_models.deleted(name)
        yield "GET/v1/chat/completions", lambda http: stored.listing(http.query)
        yield "GET/v1/chat/completions/*", lambda _http, name: stored.retrieve(name)
        yield "POST/v1/chat/completions/*", lambda http, name: stored.update(name, decoded(http.body))
        yield "DELETE/v1/chat/completions/*", lambda _http, name: stored.delete(name)
        yield "GET/v1/chat/completions/*/messages", lambda http, name: stored.messages(name, http.query)
        kept = self._responses
        yield "POST/v1/responses/input_tokens", lambda http: self._input_tokens(decoded(http.body))
        yield "GET/v1/responses/*", lambda _http, name: kept.retrieve(name)
        yield "DELETE/v1/responses/*", lambda _http, name: kept.delete(name)
        yield "POST/v1/responses/*/cancel", lambda _http, name: kept.cancel(name)
        yield "GET/v1/responses/*/input_items", lambda http, name: kept.input_items(name, http.query)
        yield "POST/v1/messages/count_tokens", self._count
        yield "GET/_mock/health", lambda _http: {"status": "ok"}
        yield "DELETE/_mock/scopes/*", self._release

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

    def _count(self, http: HttpRequest) -> Body:
        return count_tokens.whole(count_tokens.read(decoded(http.body), http.headers))

    def _release(self, _http: HttpRequest, name: str) -> Body:
        return {"scope": name, "released": self._provider.side.release(name)}

    def _unknown(self, http: HttpRequest) -> str:
        message = f"unknown request URL: {http.method} {http.path}"
        if f"/v1{http.path}" in self._asks:
            return f"{message}; the base URL of this provider ends with /v1"
        near = http.path.replace("/v1/v1/", "/v1/")
        return f"{message}; did you mean {near}?" if near != http.path else message
