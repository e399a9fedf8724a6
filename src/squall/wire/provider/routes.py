"""Which path is answered by whom. Knows the paths of the providers and of squall's own few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from squall.call import BadRequest
from squall.wire.anthropic.errors import AnthropicShapes
from squall.wire.anthropic.messages import Messages
from squall.wire.dialect import Shapes
from squall.wire.http.response import whole
from squall.wire.http.steps import HttpRequest, Send, Steps
from squall.wire.openai.chat import Chat
from squall.wire.openai.embeddings import Embeddings
from squall.wire.openai.errors import OpenAiShapes
from squall.wire.provider.endpoint import Endpoint

if TYPE_CHECKING:
    from squall.wire.provider.provider import Provider

JSON = {"content-type": "application/json"}
OPENAI, ANTHROPIC = OpenAiShapes(), AnthropicShapes()
VERSION = "anthropic-version"
SCOPES = "/_mock/scopes/"


class Routes:
    """The routes of one provider."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._asks = {
            "/v1/chat/completions": Endpoint(provider, Chat(), OPENAI),
            "/v1/embeddings": Endpoint(provider, Embeddings(), OPENAI),
            "/v1/messages": Endpoint(provider, Messages(), ANTHROPIC),
        }

    def shapes_for(self, http: HttpRequest) -> Shapes:
        """Whose words an answer is in."""
        return ANTHROPIC if VERSION in http.headers else self.shapes_at(http.path)

    def shapes_at(self, path: str) -> Shapes:
        """The same where nothing but the path is known."""
        return ANTHROPIC if path.startswith("/v1/messages") else OPENAI

    def answer(self, http: HttpRequest) -> Steps:
        """The steps of one answer. Raises `BadRequest` for what nobody answers."""
        endpoint = self._asks.get(http.path) if http.method == "POST" else None
        if endpoint is not None:
            return endpoint.answer(http)
        return iter([self._other(http)])  # type: ignore[return-value]

    def _other(self, http: HttpRequest) -> Send:
        if http.path == "/_mock/health":
            return _json(200, {"status": "ok"})
        if http.path.startswith(SCOPES) and http.method == "DELETE":
            name = http.path[len(SCOPES) :]
            return _json(200, {"scope": name, "released": self._provider.side.release(name)})
        raise BadRequest(f"unknown request URL: {http.method} {http.path}", status=404, code="unknown_url")


def _json(status: int, body: Any) -> Send:
    return Send(whole(status, JSON, msgspec.json.encode(body)))
