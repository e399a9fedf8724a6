"""A model provider: routes requests to endpoints, says no in the provider's words, and keeps what must fail the run.

One object for a run, however it is reached: `answer` and `refuse` are all that a connection needs. Knows no socket.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.call import BadRequest, ModelRequest, Reply
from squall.interpose import ModelInterposer
from squall.models import Brain, NoMatch
from squall.wire.dialect import Shapes
from squall.wire.http.response import whole
from squall.wire.http.steps import HttpRequest, Malformed, Send, Steps
from squall.wire.provider.endpoint import UnfitAnswer
from squall.wire.provider.routes import Routes

JSON = {"content-type": "application/json"}
SERVER_ERROR = 500
KEYS = ("authorization", "x-api-key", "api-key")
_encode = msgspec.json.Encoder().encode


class Provider:
    """Serves one run's model. `brain` answers for every model that has none of its own in `named`."""

    def __init__(
        self,
        side: ModelInterposer,
        *,
        brain: Brain | None = None,
        named: Mapping[str, Brain] | None = None,
        strict_history: bool = True,
        strict_models: bool = False,
        require_key: bool = False,
    ) -> None:
        self.side, self.brain, self.named = side, brain, dict(named or {})
        self.strict_history, self.strict_models, self.require_key = strict_history, strict_models, require_key
        self.failures: list[BaseException] = []
        self._routes = Routes(self)

    def answer(self, http: HttpRequest) -> Steps:
        """The steps of the answer to one request, whatever it asks for."""
        shapes = self._routes.shapes_for(http)
        try:
            if self.require_key and not http.path.startswith("/_mock/") and not any(map(http.headers.get, KEYS)):
                raise BadRequest("no API key was given", status=401, code="invalid_api_key")
            yield from self._routes.answer(http)
        except BadRequest as problem:
            if isinstance(problem, UnfitAnswer):
                self.failures.append(problem)
            yield self._no(shapes, problem)
        except NoMatch as none:
            self.failures.append(none)
            yield self._no(shapes, BadRequest(str(none), code="no_matching_turn"))
        except Exception as error:  # noqa: BLE001 - a brain's own bug: the agent sees what a provider's bug looks like
            self.failures.append(error)
            yield self._no(shapes, BadRequest(shapes.in_words(SERVER_ERROR), status=SERVER_ERROR))

    def refuse(self, malformed: Malformed) -> bytes:
        """The response to what is no request at all."""
        shapes = self._routes.shapes_at(malformed.path)
        problem = BadRequest(malformed.message, status=malformed.status)
        headers = {**JSON, "connection": "close"}
        return whole(malformed.status, headers, _encode(shapes.error(problem, "req_malformed")))

    def admit(self, request: ModelRequest) -> None:
        """Refuse a request for a model that nobody has listed, where that matters."""
        if self.strict_models and request.model not in self.named:
            raise BadRequest(
                f"the model {request.model!r} does not exist", param="model", code="model_not_found", status=404
            )

    def brain_for(self, request: ModelRequest) -> Brain:
        """Who answers. Raises `NoMatch` where nobody does."""
        brain = self.named.get(request.model) or self.brain
        if brain is None:
            raise NoMatch(f"nobody answers for the model {request.model!r}: the provider was given no brain")
        return brain

    def keep(
        self, dialect: Any, request: ModelRequest, reply: Reply, stamp: Any, body: dict[str, Any] | None = None
    ) -> None:
        """Store a reply that can be asked for again."""

    def _no(self, shapes: Shapes, problem: BadRequest) -> Send:
        body = _encode(shapes.error(problem, "req_refused"))
        return Send(whole(problem.status, {**JSON, **shapes.headers("req_refused")}, body))
