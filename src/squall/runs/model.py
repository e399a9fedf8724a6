"""A run's fake model provider, as a test sees it: what it says, what goes wrong, where it is, what it was asked.

Reached in three ways, with one behaviour: in the run's event loop, under sync clients without a socket, and in a thread
on wall time where neither can be.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from squall.call import MODEL_TARGETS, ModelRequest
from squall.canonical import digest_bytes
from squall.documents import load
from squall.faults import Inline, parse_plan
from squall.interpose import Exchange, ModelInterposer
from squall.models import Brain, PythonBrain, Rules, Script, builtin, load_brain
from squall.runs.builtin import with_builtin
from squall.runs.ending import astray
from squall.trace.kinds import Mark
from squall.wire.clients import Routing
from squall.wire.http.server import HttpServer
from squall.wire.loopback import Loopback
from squall.wire.provider import Provider

if TYPE_CHECKING:
    from squall.runs.environment import Environment


class Model:
    """The provider of one run. It serves while the run lasts, and unmodified clients find it by themselves."""

    def __init__(self, run: Environment) -> None:
        self._run = run
        self._side = ModelInterposer(
            run.clock,
            plan=with_builtin(run.plan),
            limits=run.limits,
            recorder=run.recorder,
            seed=run.seed,
            run_index=run.run_index,
            volatile=run.interposer.volatile,
            numbers=run.interposer.numbers,
            weather=run.weather,
        )
        self._provider = Provider(self._side, named=builtin.models())
        self._loopback = Loopback(self._serving, run.clock, name="model")
        self._routing = Routing(self._provider.answer, self._provider.refuse, self._loopback.url, run.clock)

    @classmethod
    @contextmanager
    def of(cls, run: Environment) -> Iterator[Self]:
        """Serve while the context lives."""
        made = cls(run)
        try:
            with made._routing.on():
                yield made
        finally:
            made._loopback.close()

    # what it says

    def script(self, *turns: Any, sentinels: Iterable[str] = ()) -> Brain:
        """Answer by turns, in order: `say`, `call`, `calls`, `refuse`, and `expect` before what depends on it.

        `sentinels` are texts that must never appear anywhere in the messages, here and below.
        """
        return self._with(Script(*turns, sentinels=sentinels))

    def rules(self, *rules: Any, sentinels: Iterable[str] = ()) -> Brain:
        """Answer by the first rule that matches."""
        return self._with(Rules(*rules, sentinels=sentinels))

    def brain(self, fn: Callable[[ModelRequest], Any], *, sentinels: Iterable[str] = ()) -> Brain:
        """Answer with what `fn(request)` returns: a `Reply`, or text. It may be async."""
        return self._with(PythonBrain(fn, sentinels=sentinels))

    def load(self, path: str | Path, *, name: str | None = None) -> Brain:
        """Answer by a script's file: its turns, its rules, or the handler that it names. `name`: what to call it."""
        return self._with(load_brain(path, name=name))

    def _with(self, brain: Brain) -> Brain:
        self._provider.use(brain)
        return brain

    @property
    def strict_history(self) -> bool:
        """Whether a broken conversation (a call without its result, for example) is refused, as providers do."""
        return self._provider.strict_history

    @strict_history.setter
    def strict_history(self, strict: bool) -> None:
        self._provider.strict_history = strict

    @property
    def script_digest(self) -> str | None:
        """A digest of the script's file, where what it says stands in one."""
        document = getattr(self._provider.brain, "document", None)
        return None if document is None else digest_bytes(document.text.encode())

    # what goes wrong

    def faults(self, faults: str | Path | Mapping[str, Any] | list[Any]) -> None:
        """Add rules to the run's plan: a plan file, or the rules themselves."""
        source = load(faults) if isinstance(faults, str | Path) else Inline(faults)
        more = parse_plan(source, tuple(MODEL_TARGETS.values()))
        known = len(self._run.plan.described)
        self._run.plan = self._run.plan.extended(more)
        self._side.follow(with_builtin(self._run.plan))
        if self._run.recorder is not None:
            added = self._run.plan.described[known:]
            self._run.recorder.record(Mark(name="faults", data={"plan": list(added)}))

    # where it is

    @property
    def openai_base_url(self) -> str:
        """What OPENAI_BASE_URL holds while the run lasts: `http://127.0.0.1:PORT/v1`."""
        return f"{self._loopback.url}/v1"

    @property
    def anthropic_base_url(self) -> str:
        """What ANTHROPIC_BASE_URL holds while the run lasts: `http://127.0.0.1:PORT`."""
        return self._loopback.url

    def allow(self, *hosts: str) -> None:
        """Let requests to these hosts out; to all others but this machine they fail the test."""
        self._routing.allow(*hosts)

    def lets_out(self, host: str) -> bool:
        """Whether requests to a host were allowed."""
        return self._routing.lets_out(host)

    # what it was asked

    @property
    def requests(self) -> list[ModelRequest]:
        """Every request that was found valid, in order of arrival; an SDK's hidden retries are among them."""
        return self._side.requests

    @property
    def attempts(self) -> list[Exchange]:
        """The same requests with what came of them: `call`, `attempt`, `status`, `happened`, `disconnected`."""
        return self._side.exchanges

    # how the run ends

    @property
    def fired(self) -> Mapping[int, int]:
        """How often each rule has fired, by its place in the plan; those of built-in models have places far behind."""
        return self._side.fired

    @property
    def spared(self) -> Mapping[int, str]:
        """Why a rule that was reached last changed nothing, by its place in the plan."""
        return self._side.spared

    @property
    def tokens(self) -> Mapping[str, int]:
        """The tokens that its replies have come to, `input` and `output`; also where no reply told the client."""
        return self._side.used

    @property
    def limit_reached(self) -> str | None:
        """Why the run was ended, if it made too many requests or used too many tokens."""
        return self._side.limit_reached

    @property
    def failures(self) -> list[BaseException]:
        """What fails the run, whatever the agent made of it: requests without an answer, and those that went astray."""
        return astray([*self._provider.failures, *self._routing.leaks])

    def unused(self) -> list[str]:
        """Sentences on what was never said, where no fault can have been the reason."""
        brain = self._provider.brain
        return [] if brain is None or self.fired else brain.unused()

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[tuple[HttpServer, asyncio.Event]]:
        """In whichever loop runs."""
        provider, foreign = self._provider, self._routing.is_foreign
        yield HttpServer(provider.answer, provider.refuse, self._run.clock, foreign=foreign), asyncio.Event()
