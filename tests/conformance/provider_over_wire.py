"""One story told to a model provider over every way in which it is reached: what its clients hear, and what it notes.

The story asks every kind of fault of the model wire once per endpoint, whole and streamed, each with a model's name of
its own, so that one run (or one process) tells it all. It is told twice: to the official SDKs, and as raw HTTP. To put
another way to the test, add it to `WAYS`: it is given the story, and gives an `Outcome` for each `Ask`.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anthropic
import httpx2
import msgspec
import openai

from squall.runs.environment import Environment

DEADLINE = 2.0  # seconds that a client waits for the next byte: real ones, where the provider is another process
LONGER = 60.0
SEED = 7
RAW = {"x-squall-scope": "raw", "content-type": "application/json", "anthropic-version": "2023-06-01"}
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "embeddings": "/v1/embeddings",
}
TALKING = ("chat", "responses", "messages")
PAY = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "amount": {"type": "integer"}},
    "required": ["to", "amount"],
}
TOOLS: dict[str, Any] = {
    "chat": [{"type": "function", "function": {"name": "pay", "parameters": PAY}}],
    "responses": [{"type": "function", "name": "pay", "parameters": PAY, "strict": False}],
    "messages": [{"name": "pay", "input_schema": PAY}],
}
BRAIN = """\
from squall.models import calls, call, say

def brain(request):
    turn = say("Größe matters: é, 語, and the end.")
    if request.tools:
        turn = calls(call("pay", to="Bob", amount=5), call("pay", to="Eve", amount=7))
    return turn.reply
"""


class Row(NamedTuple):
    """A kind with its parameters, and where it makes sense. `fires`: whether it does, here."""

    kind: str
    params: Mapping[str, Any] = {}
    whole: bool = True
    stream: bool = True
    calls: bool = False
    endpoints: tuple[str, ...] = TALKING
    fires: bool = True


ROWS = (
    # no fault, with a rule all the same: a process that records nothing knows requests by their bytes where none is
    Row("latency", {"seconds": 0}),
    Row("latency", {"seconds": 0}, calls=True),
    Row("interleaved_deltas", whole=False, fires=False),
    Row("short_body", whole=False, fires=False),
    Row("http_503", {"retry_after_ms": 20}),
    Row("http_429", {"retry_after_ms": 20, "message": "Slow down."}),
    Row("http_400", {"code": "no_such_thing"}),
    Row("timeout", {"seconds": LONGER}),
    Row("connection_error"),
    Row("reset"),
    Row("short_body", stream=False),
    Row("slow_body", {"pieces": 3, "seconds": 0.02}),
    Row("malformed_json", stream=False),
    Row("error_in_200"),
    Row("empty_choices", stream=False),
    Row("empty_content"),
    Row("refusal"),
    Row("content_filter", {"keep": 0.5}),
    Row("length_cut"),
    Row("truncated_arguments", calls=True),
    Row("invalid_arguments", {"how": "missing"}, calls=True),
    Row("unknown_tool", calls=True),
    Row("reused_call_id", {"of": "reply"}, calls=True),
    Row("context_overflow"),
    Row("latency", {"seconds": 0.02}),
    Row("stream_disconnect", {"after": 3}, whole=False),
    Row("stream_disconnect", {"after": 3, "how": "reset"}, whole=False),
    Row("stream_stall", {"after": 3, "seconds": LONGER}, whole=False),
    Row("slow_chunks", {"seconds": 0.01}, whole=False),
    Row("clean_eof", whole=False),
    Row("ping_only", {"after": 3, "beat": 0.02, "signs": 3}, whole=False),
    Row("error_event", {"after": 3}, whole=False),
    Row("malformed_event", {"after": 3}, whole=False),
    Row("interleaved_deltas", whole=False, calls=True),
    Row("wrong_count", stream=False, endpoints=("embeddings",)),
    Row("wrong_dimension", stream=False, endpoints=("embeddings",)),
    Row("wrong_order", stream=False, endpoints=("embeddings",)),
    Row("nan", stream=False, endpoints=("embeddings",)),
    Row("http_500", {"retry_after_ms": 20}, stream=False, endpoints=("embeddings",)),
)


class Ask(NamedTuple):
    """One question of the story. `model` is its name."""

    row: Row
    endpoint: str
    stream: bool
    model: str

    @property
    def body(self) -> dict[str, Any]:
        """What is sent."""
        question = [{"role": "user", "content": "Whom do I owe?"}]
        body: dict[str, Any] = {"model": self.model}
        if self.endpoint == "embeddings":
            return {**body, "input": ["one", "two", "three"], "dimensions": 4, "encoding_format": "float"}
        body |= {"input": question} if self.endpoint == "responses" else {"messages": question}
        if self.endpoint == "messages":
            body["max_tokens"] = 100
        if self.row.calls:
            body["tools"] = TOOLS[self.endpoint]
        return {**body, "stream": self.stream}


class Heard(NamedTuple):
    """What the client got before the end or the error, and the name of that with its status."""

    said: list[Any]
    error: str | None


class Outcome(NamedTuple):
    """Of one question: what the SDK heard, what raw HTTP is, what the provider noted, and virtual seconds."""

    heard: Heard
    raw: Heard
    attempts: list[dict[str, Any]]
    took: float | None  # where time is virtual


def asks() -> Iterator[Ask]:
    """Every question of the story."""
    for number, row in enumerate(ROWS):
        for endpoint in row.endpoints:
            for stream in [False] * row.whole + [True] * row.stream:
                how = "stream" if stream else "whole"
                yield Ask(row, endpoint, stream, f"{row.kind}-{number}-{endpoint}-{how}")


ASKS = tuple(asks())


class Story(NamedTuple):
    """The files that every way is given."""

    script: Path
    plan: Path

    @classmethod
    def written(cls, folder: Path) -> Story:
        """Write them."""
        (folder / "told_brain.py").write_text(BRAIN, encoding="utf-8")
        script, plan = folder / "script.toml", folder / "plan.json"
        script.write_text('handler = "told_brain.brain"\n', encoding="utf-8")
        rules = [{"target": ask.model, "kind": ask.row.kind, "first": 1, **ask.row.params} for ask in ASKS]
        plan.write_text(json.dumps({"faults": rules}), encoding="utf-8")
        return cls(script, plan)


# asking


def options(url: str | None, library: Any) -> dict[str, Any]:
    path = "/v1" if library is openai else ""
    return {"api_key": "k", "base_url": url and f"{url}{path}", "timeout": DEADLINE, "max_retries": 1}


def method(ask: Ask, one: Any, other: Any) -> Callable[..., Any]:
    """The SDK's function for a question, and nothing is asked yet."""
    methods = {
        "chat": lambda: one.chat.completions.create,
        "responses": lambda: one.responses.create,
        "messages": lambda: other.messages.create,
        "embeddings": lambda: one.embeddings.create,
    }
    function: Callable[..., Any] = methods[ask.endpoint]()
    return function


def plain(answer: Any) -> Any:
    """An SDK's object as JSON."""
    return answer.model_dump(mode="json", warnings=False)


def named(error: Exception) -> str:
    """An error in words that do not depend on the way."""
    status = getattr(error, "status_code", None)
    text = f"{type(error).__module__.partition('.')[0]}.{type(error).__name__}"
    return text if status is None else f"{text} {status}: {json.dumps(getattr(error, 'body', None), sort_keys=True)}"


def hear(ask: Ask, one: openai.OpenAI, other: anthropic.Anthropic) -> Heard:
    """Ask a sync client."""
    said: list[Any] = []
    try:
        answer = method(ask, one, other)(**ask.body)
        if ask.stream:
            with answer:
                for event in answer:
                    said.append(plain(event))  # noqa: PERF401 - what came before an error is kept
        else:
            said.append(plain(answer))
    except Exception as error:
        return Heard(said, named(error))
    return Heard(said, None)


async def hear_async(ask: Ask, one: openai.AsyncOpenAI, other: anthropic.AsyncAnthropic) -> Heard:
    """Ask an async client."""
    said: list[Any] = []
    try:
        answer = await method(ask, one, other)(**ask.body)
        if ask.stream:
            async with answer:
                async for event in answer:
                    said.append(plain(event))  # noqa: PERF401 - what came before an error is kept
        else:
            said.append(plain(answer))
    except Exception as error:
        return Heard(said, named(error))
    return Heard(said, None)


def raw(ask: Ask, client: httpx2.Client, url: str) -> Heard:
    """Ask without an SDK: status, headers and bytes."""
    said: list[Any] = []
    try:
        with client.stream("POST", f"{url}{PATHS[ask.endpoint]}", json=ask.body, headers=RAW) as response:
            said += [response.status_code, dict(response.headers), b""]
            for piece in response.iter_raw():
                said[2] += piece
    except httpx2.HTTPError as error:
        return Heard(said, type(error).__name__)
    return Heard(said, None)


async def raw_async(ask: Ask, client: httpx2.AsyncClient, url: str) -> Heard:
    """The same of an async client."""
    said: list[Any] = []
    try:
        async with client.stream("POST", f"{url}{PATHS[ask.endpoint]}", json=ask.body, headers=RAW) as response:
            said += [response.status_code, dict(response.headers), b""]
            async for piece in response.aiter_raw():
                said[2] += piece
    except httpx2.HTTPError as error:
        return Heard(said, type(error).__name__)
    return Heard(said, None)


# what the provider noted


def noted(number: int, status: Any, faults: Any, response: Any, complete: bool, injected: bool) -> dict[str, Any]:
    """One attempt, without what is measured in seconds."""
    kept = [{name: value for name, value in fault.items() if name != "seconds"} for fault in faults]
    return {
        "try": number,
        "status": status,
        "faults": kept,
        "response": msgspec.json.decode(msgspec.json.encode(response)),  # as it is written down: NaN is null
        "complete": complete,
        "injected": injected,
    }


def noted_by(run: Environment, model: str) -> list[dict[str, Any]]:
    """What a run noted of the SDK's attempts at one question."""
    return [
        noted(
            each.attempt,
            each.status,
            [one.told() for one in each.happened],
            each.response,
            each.complete,
            each.injected,
        )
        for each in run.model.attempts
        if each.request.model == model and not each.request.scope
    ]


# the ways


@contextmanager
def running(story: Story) -> Iterator[Environment]:
    """A run that tells the story."""
    with Environment(faults=story.plan, seed=SEED) as run:
        run.model.load(story.script)
        yield run


def by_sync_clients(story: Story) -> dict[str, Outcome]:
    """Sync clients, without a socket."""
    outcomes = {}
    with (
        running(story) as run,
        openai.OpenAI(**options(None, openai)) as one,
        anthropic.Anthropic(**options(None, anthropic)) as other,
        httpx2.Client(timeout=DEADLINE) as client,
    ):
        for ask in ASKS:
            random.seed(SEED)  # of the SDKs' backoff
            began = run.clock.elapsed()
            heard = hear(ask, one, other)
            took = run.clock.elapsed() - began
            bare = raw(ask, client, run.model.anthropic_base_url)
            outcomes[ask.model] = Outcome(heard, bare, noted_by(run, ask.model), took)
    assert run.clock.notes == []
    return outcomes


async def _told_in(run: Environment) -> dict[str, Outcome]:
    outcomes = {}
    async with (
        openai.AsyncOpenAI(**options(None, openai)) as one,
        anthropic.AsyncAnthropic(**options(None, anthropic)) as other,
        httpx2.AsyncClient(timeout=DEADLINE) as client,
    ):
        for ask in ASKS:
            random.seed(SEED)
            began = run.clock.elapsed()
            heard = await hear_async(ask, one, other)
            took = run.clock.elapsed() - began
            bare = await raw_async(ask, client, run.model.anthropic_base_url)
            await asyncio.sleep(0.001)  # the provider hears last that its client has gone
            outcomes[ask.model] = Outcome(heard, bare, noted_by(run, ask.model), took)
    return outcomes


def by_asyncio_run(story: Story) -> dict[str, Outcome]:
    """Async clients under `asyncio.run` in a sync test."""
    with running(story) as run:
        return asyncio.run(_told_in(run))


def in_the_loop(story: Story) -> dict[str, Outcome]:
    """Async clients in the loop of an async test, which is there before its run."""

    async def test() -> dict[str, Outcome]:
        with running(story) as run:
            return await _told_in(run)

    return asyncio.run(test())


def by_a_process(story: Story) -> dict[str, Outcome]:
    """`squall model`, on wall time, and several clients at once."""
    record = story.script.with_name("record.jsonl")
    files = ["--script", str(story.script), "--faults", str(story.plan), "--record", str(record)]
    command = [sys.executable, "-m", "squall", "model", "--port", "0", "--seed", str(SEED), *files]
    process: Any = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        said = process.stderr.readline()
        assert " at http://" in said, said + process.stderr.read()
        url = said.split(" at ")[1].split()[0]
        with (
            openai.OpenAI(**options(url, openai)) as one,
            anthropic.Anthropic(**options(url, anthropic)) as other,
            httpx2.Client(timeout=DEADLINE) as client,
            ThreadPoolExecutor(20) as pool,
        ):
            slow_first = sorted(ASKS, key=lambda ask: LONGER not in ask.row.params.values())
            heard = {ask.model: pool.submit(hear, ask, one, other) for ask in slow_first}
            bare = {ask.model: pool.submit(raw, ask, client, url) for ask in slow_first}
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    lines.sort(key=lambda line: line["try"])  # an attempt that its client gave up may end last
    return {
        ask.model: Outcome(
            heard[ask.model].result(),
            bare[ask.model].result(),
            [
                noted(
                    line["try"],
                    line["status"],
                    line["faults"],
                    line["response"],
                    line["response_complete"],
                    line["injected_disconnect"],
                )
                for line in lines
                if line["model"] == ask.model and not line["scope"]
            ],
            None,
        )
        for ask in ASKS
    }


FIRST = "sync clients"
WAYS: dict[str, Callable[[Story], dict[str, Outcome]]] = {
    FIRST: by_sync_clients,
    "asyncio.run": by_asyncio_run,
    "the loop of a test": in_the_loop,
    "squall model": by_a_process,
}
