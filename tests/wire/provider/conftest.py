"""A provider without a socket: requests in, the steps of their answers out, followed on a virtual clock."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from squall.call import MODEL_TARGETS
from squall.clock import VirtualClock
from squall.faults import Inline, parse_plan
from squall.interpose import ModelInterposer
from squall.models import Script, say
from squall.trace import Recorder, Trace
from squall.wire.http.steps import Await, Disconnected, Fin, HttpRequest, Reset, Send, Wait
from squall.wire.provider import Provider

HELLO = [{"role": "user", "content": "hello"}]
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "embeddings": "/v1/embeddings",
}
BODIES: Mapping[str, dict[str, Any]] = {
    "chat": {"model": "m", "messages": HELLO},
    "responses": {"model": "m", "input": "hello"},
    "messages": {"model": "m", "messages": HELLO, "max_tokens": 100},
    "embeddings": {"model": "m", "input": "hello"},
}


class Answered:
    """What came of one request: the steps, and the bytes read as a response."""

    def __init__(self, steps: list[Any]) -> None:
        self.steps = steps
        sent = b"".join(step.data for step in steps if isinstance(step, Send))
        start, _, self.body = sent.partition(b"\r\n\r\n")
        first, *lines = start.decode().split("\r\n")
        self.status = int(first.split()[1]) if sent else None
        self.headers = dict(line.split(": ", 1) for line in lines)

    @property
    def kinds(self) -> list[str]:
        return [type(step).__name__ for step in self.steps]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> Any:
        return self.json["error"]["message"]

    @property
    def events(self) -> list[bytes]:
        """The chunks of a body in chunks; the last is empty where it came to its end."""
        found, rest = [], self.body
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            found.append(rest[: int(size, 16)])
            rest = rest[int(size, 16) + 2 :]
        return found


class Client:
    """Asks a provider. `gone_at` is the step at which the client goes away; `in_real_time` how its waits are."""

    in_real_time = False
    gone: type[Disconnected] = Disconnected

    def __init__(self, provider: Provider, clock: VirtualClock) -> None:
        self.provider, self.clock = provider, clock

    def ask(self, method: str, path: str, body: Any = None, *, gone_at: int | None = None, **headers: str) -> Answered:
        data = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        steps = self.provider.answer(HttpRequest(method, path, {}, named, data))
        seen: list[Any] = []
        try:
            step = next(steps)
            while True:
                seen.append(step)
                if len(seen) == gone_at:
                    steps.throw(self.gone())
                result: Any = None
                if isinstance(step, Wait):
                    self.clock.advance(step.seconds)
                    result = self.in_real_time
                elif isinstance(step, Await):
                    result = self.result_of(step.what)
                step = steps.send(result)
        except (StopIteration, Disconnected):
            return Answered(seen)

    def result_of(self, awaitable: Any) -> Any:
        try:
            awaitable.send(None)
        except StopIteration as ended:
            return ended.value
        raise AssertionError("it waits for something")

    def chat(self, gone_at: int | None = None, retries: int = 0, **body: Any) -> Answered:
        return self.on("chat", gone_at=gone_at, retries=retries, **body)

    def on(self, endpoint: str, *, gone_at: int | None = None, retries: int = 0, **body: Any) -> Answered:
        headers = {"x_stainless_retry_count": str(retries)}
        if endpoint == "messages":
            headers["anthropic_version"] = "2023-06-01"
        return self.ask("POST", PATHS[endpoint], BODIES[endpoint] | body, gone_at=gone_at, **headers)


class Side(ModelInterposer):
    """With the trace that it records."""

    def __init__(self, clock: VirtualClock, **options: Any) -> None:
        self.trace_recorder = Recorder("r#0", clock.elapsed)
        self.trace = Trace([], self.trace_recorder)
        super().__init__(clock, recorder=self.trace_recorder, **options)


@pytest.fixture
def clock():
    return VirtualClock(limit=None)


@pytest.fixture
def made(clock):
    """`made({"model.chat": […rules…]}, brain=…)` is a client of a provider with that weather."""

    def make(faults: Any = None, *, brain: Any = None, seed: int = 0, **options: Any) -> Client:
        targets = tuple(MODEL_TARGETS.values())
        plan = {} if faults is None else {"plan": parse_plan(Inline(faults), targets)}
        side = Side(clock, seed=seed, **plan)
        return Client(Provider(side, brain=Script(say("hello there")) if brain is None else brain, **options), clock)

    return make


@pytest.fixture
def client(made):
    return made()


def last(client: Client):
    """The exchange that came last."""
    return client.provider.side.exchanges[-1]


__all__ = ["BODIES", "HELLO", "PATHS", "Answered", "Client", "Fin", "Reset", "last"]
