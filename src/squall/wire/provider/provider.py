"""A model provider: routes requests to endpoints, says no in the provider's words, and keeps what must fail the run.

One object for a run, however it is reached: `answer` and `refuse` are all that a connection needs. Knows no socket.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from squall.call import BadRequest, ModelRequest
from squall.canonical import token
from squall.interpose import ModelInterposer
from squall.models import Brain, NoMatch
from squall.models.named import NamedModel
from squall.wire.dialect import Shapes
from squall.wire.http.response import whole
from squall.wire.http.steps import Disconnected, HttpRequest, Malformed, Send, Steps
from squall.wire.provider.endpoint import object_in, without_secrets
from squall.wire.provider.routes import NotAllowed, Routes
from squall.wire.provider.unasked import Unasked

NOBODY = (
    'no script, rules or brain was given. Say what it answers, such as model.script(say("…")) in a test, '
    "with say from squall.models; for a provider of its own it is squall model --script FILE"
)
JSON = {"content-type": "application/json"}
HEAD_END = b"\r\n\r\n"
REQUEST = "req_"
Refused = Callable[[float, str, Mapping[str, Any] | None, Mapping[str, str], int, Any], None]
"""Is told when, where, with which body (None: no JSON object) and headers a request came that was refused, and the
status and body that it was refused with."""
MOST_FAILURES = 100  # a provider may serve for days
KEYS = ("authorization", "x-api-key", "api-key")
_encode = msgspec.json.Encoder().encode


class Provider:
    """Serves one run's models. `brain` answers for those that have none of their own in `named`."""

    def __init__(
        self,
        side: ModelInterposer,
        *,
        brain: Brain | None = None,
        named: Mapping[str, NamedModel] | None = None,
        strict_history: bool = True,
        strict_models: bool = False,
        require_key: bool = False,
        plain_embeddings: bool = False,
    ) -> None:
        self.side, self.brain, self.named = side, brain, dict(named or {})
        self.strict_history, self.strict_models, self.require_key = strict_history, strict_models, require_key
        self.plain_embeddings = plain_embeddings
        self.listed: tuple[str, ...] = ()
        self.failures: list[BaseException] = []
        self.failed = 0
        self._unasked = 0
        self.on_refused: list[Refused] = []
        self.on_unasked: list[Callable[[Unasked], None]] = []
        self._routes = Routes(self)

    def answer(self, http: HttpRequest) -> Steps:
        """The steps of the answer to one request, whatever it asks for."""
        if http.method == "HEAD":
            return _without_bodies(self._answer(msgspec.structs.replace(http, method="GET")))
        return self._answer(http)

    def _answer(self, http: HttpRequest) -> Steps:
        shapes = self._routes.shapes_for(http)
        try:
            self._require_key(http)
            yield from self._routes.answer(http)
        except BadRequest as problem:
            yield self._no(http, shapes, problem)
        except Exception as error:
            if not isinstance(error, Disconnected):  # a bug of squall's own: the connection breaks, and the run fails
                self.fail(error)
            raise

    def refuse(self, malformed: Malformed) -> bytes:
        """The response to what is no request at all."""
        shapes = self._routes.shapes_at(malformed.path)
        problem = BadRequest(malformed.message, status=malformed.status)
        headers = {**JSON, "connection": "close"}
        return whole(malformed.status, headers, _encode(shapes.error(problem, "req_malformed")))

    def fail(self, error: BaseException) -> None:
        """A request had no answer, which fails the run; the first such errors are kept."""
        self.failed += 1
        if len(self.failures) < MOST_FAILURES:
            self.failures.append(error)

    def is_strict(self, request: ModelRequest) -> bool:
        """Whether a broken conversation is refused. A model with a script of its own is as strict as that says."""
        named = self.named.get(request.model)
        brain = None if named is None else named.brain
        return getattr(brain, "strict_history", self.strict_history)

    def know(self, model: str) -> None:
        """Refuse a model that nobody has listed, where that matters."""
        if self.strict_models and model not in self.models:
            raise BadRequest(f"the model {model!r} does not exist", param="model", code="model_not_found", status=404)

    def admit(self, request: ModelRequest) -> None:
        """Refuse a request for a model that is not known, and one that it cannot answer."""
        self.know(request.model)
        named = self.named.get(request.model)
        if named is not None:
            named.admit(request)

    def brain_for(self, request: ModelRequest) -> Brain:
        """Who answers. Raises `NoMatch` where nobody does."""
        named = self.named.get(request.model)
        brain = self.brain if named is None or named.brain is None else named.brain
        if brain is None:
            raise NoMatch(f"nobody answers for the model {request.model!r}", NOBODY)
        return brain

    @property
    def brains(self) -> list[Brain]:
        """All that may answer."""
        return [brain for brain in (self.brain, *(named.brain for named in self.named.values())) if brain is not None]

    @property
    def models(self) -> list[str]:
        """The names that are listed."""
        return list(dict.fromkeys((*self.named, *self.listed)))

    def use(self, brain: Brain) -> None:
        """Answer by this brain, as strictly as its file says, if it is from one."""
        self.brain = brain
        self.strict_history = getattr(brain, "strict_history", self.strict_history)
        self.listed = tuple(getattr(brain, "models", self.listed))

    def request_id(self) -> str:
        """An id for a request that asks no model anything."""
        self._unasked += 1
        return REQUEST + token(*self.side.key, self._unasked)

    def _require_key(self, http: HttpRequest) -> None:
        if self.require_key and not http.path.startswith("/_mock/") and not any(map(_key, map(http.headers.get, KEYS))):
            raise BadRequest("no API key was given", status=401, code="invalid_api_key")

    def _no(self, http: HttpRequest, shapes: Shapes, problem: BadRequest) -> Send:
        request_id = self.request_id()
        body = shapes.error(problem, request_id)
        for tell in self.on_refused:
            kept = without_secrets(http.headers)
            tell(self.side.clock.elapsed(), http.path, object_in(http), kept, problem.status, body)
        headers = {**JSON, **shapes.headers(request_id)}
        if isinstance(problem, NotAllowed):
            headers["allow"] = problem.allow
        return Send(whole(problem.status, headers, _encode(body)))


def _key(value: str | None) -> str:
    """What stands in a header for keys, without the word before it."""
    return (value or "").removeprefix("Bearer").strip()


def _without_bodies(steps: Steps) -> Steps:
    """The same answer to somebody who wants its head alone."""
    for step in steps:
        yield Send(step.data.partition(HEAD_END)[0] + HEAD_END) if isinstance(step, Send) else step
