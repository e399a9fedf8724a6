"""What an SDK gets of somebody else's fake under a fault is what it would get of squall's own provider."""

from __future__ import annotations

import asyncio
import base64
import functools
import importlib
import json
import struct
from typing import Any

import pytest

import squall
from squall.call import Reply, ToolUse
from squall.capture import hooks
from squall.faults.registry import shown
from squall.models import call, say
from squall.runs.environment import Environment
from squall.runs.exploring.executing import Runner
from squall.trace.kinds import Attempt, AttemptEnd, ModelCall, ModelReply
from squall.wire.dialect import Stamp
from squall.wire.openai.responses import Responses

ASKED = {"model": "m", "messages": [{"role": "user", "content": "Is it paid? Pay it back."}]}
TOOLS = [{"type": "function", "function": {"name": "refund", "parameters": {"type": "object", "properties": {}}}}]
ARGUMENTS = '{"order":"7","amount":40}'
WORDS = "It has been paid back by now."


@pytest.fixture(scope="module", autouse=True)
def hooked():
    """The hooks are on; certificates are loaded once."""
    core = importlib.import_module("httpcore2")
    before = hooks.installed()
    hooks.install()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "default_ssl_context", functools.cache(core.default_ssl_context))
        yield
    if not before:
        hooks.uninstall()


@pytest.fixture(scope="module")
def openai():
    return importlib.import_module("openai")


@pytest.fixture(scope="module")
def anthropic():
    return importlib.import_module("anthropic")


@pytest.fixture(scope="module")
def httpx():
    return importlib.import_module("httpx2")


class Fake:
    """A model of the test's own: a body, or a stream, for each request."""

    def __init__(self, httpx, body, events):
        self.httpx, self.body, self.events = httpx, body, events
        self.asked = []

    def __call__(self, request):
        self.asked.append(request)
        if json.loads(request.content).get("stream"):
            return self.httpx.Response(200, headers={"content-type": "text/event-stream"}, content=self.events)
        return self.httpx.Response(200, json=self.body, headers={"x-mine": "yes"})

    async def later(self, request):
        return self(request)

    def client(self):
        return self.httpx.Client(transport=self.httpx.MockTransport(self))

    def aclient(self):
        return self.httpx.AsyncClient(transport=self.httpx.MockTransport(self.later))


def events(*data, names=False, done=b""):
    lines = ((f"event: {each['type']}\n" if names else "") + f"data: {json.dumps(each)}\n\n" for each in data)
    return "".join(lines).encode() + done


def of_chat(httpx, *, calls):
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    use = {"id": "call_7", "type": "function", "function": {"name": "refund", "arguments": ARGUMENTS}}
    finish = "tool_calls" if calls else "stop"
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None if calls else ""}]
    if calls:
        deltas.append({"tool_calls": [{"index": 0, **use, "function": {"name": "refund", "arguments": ""}}]})
        deltas += [
            {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in (ARGUMENTS[:9], ARGUMENTS[9:])
        ]
    else:
        deltas += [{"content": word} for word in WORDS.split(" ")[:1] + [f" {word}" for word in WORDS.split(" ")[1:]]]
    chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    message = {"role": "assistant", "content": None if calls else WORDS, **({"tool_calls": [use]} if calls else {})}
    body = {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }
    return Fake(httpx, body, events(*chunks, done=b"data: [DONE]\n\n"))


def told(reply):
    """A reply in short."""
    choice = next(iter(reply.choices or []), None)
    if choice is None:
        return repr(reply.choices)
    uses = [(use.function.name, use.function.arguments) for use in choice.message.tool_calls or []]
    return f"{choice.message.content!r} {choice.message.refusal!r} {uses} {choice.finish_reason}"


def put_together(chunks):
    text, refusal, finish = "", "", None
    arguments: dict[int, str] = {}
    for chunk in chunks:
        for choice in chunk.choices:
            text, refusal = text + (choice.delta.content or ""), refusal + (choice.delta.refusal or "")
            for use in choice.delta.tool_calls or []:
                arguments[use.index] = arguments.get(use.index, "") + (use.function.arguments or "")
            finish = choice.finish_reason or finish
    return f"{text!r} {refusal!r} {arguments} {finish}"


async def aput_together(stream):
    return put_together([chunk async for chunk in stream])


class Agent:
    """Asks once, and notes what it got: of `fake`, or where that is None of squall's provider, which says the same."""

    def __init__(self, openai, fake=None, *, streams=False, calls=False, asynchronous=False):
        self.openai, self.fake, self.streams, self.calls = openai, fake, streams, calls
        self.asynchronous = asynchronous
        self.got = ""

    def __call__(self, run):
        if self.fake is None:
            turn = call("refund", json.loads(ARGUMENTS)) if self.calls else say(WORDS)
            run.model.script(turn)
        try:
            self.got = asyncio.run(self._aask(run)) if self.asynchronous else self._ask(run)
        except Exception as error:
            self.got = type(error).__name__
            raise

    def _options(self, run, kind):
        where = {} if self.fake is None else {"http_client": getattr(self.fake, kind)()}
        return {
            "api_key": "x",
            "base_url": "http://gateway.example/v1" if self.fake else run.model.openai_base_url,
        } | where

    def _ask(self, run):
        with self.openai.OpenAI(**self._options(run, "client")) as client:
            came = client.chat.completions.create(**ASKED, tools=TOOLS, stream=self.streams)
            return put_together(came) if self.streams else told(came)

    async def _aask(self, run):
        async with self.openai.AsyncOpenAI(**self._options(run, "aclient")) as client:
            came = await client.chat.completions.create(**ASKED, tools=TOOLS, stream=self.streams)
            return await aput_together(came) if self.streams else told(came)


KINDS = [name for name in dict.fromkeys(["http_503", "http_429", *shown("model")]) if name != "http_STATUS"]


def differing(theirs, ours):
    """Where what comes of a fault at somebody else's fake is not what it is with squall's provider."""
    of_theirs, of_ours = Runner(Environment, theirs, KINDS), Runner(Environment, ours, KINDS)
    calm, ours_calm = of_theirs(()), of_ours(())
    assert theirs.got == ours.got
    assert [each.point for each in calm.seen] == [each.point for each in ours_calm.seen]
    found = {}
    for choice in calm.seen[0].choices:
        came, should = of_theirs((choice,)), of_ours((choice,))
        if (came.status, theirs.got, len(came.seen)) != (should.status, ours.got, len(should.seen)):
            found[choice.kind, choice.params] = (came.status, theirs.got), (should.status, ours.got)
    return found


@pytest.mark.parametrize(
    ("asynchronous", "streams", "calls"),
    [(False, False, True), (True, True, False)],
    ids=["sync, whole, calls", "async, stream, text"],
)
def test_each_fault_is_what_it_is_with_the_provider(openai, httpx, streams, calls, asynchronous):
    given = {"streams": streams, "calls": calls, "asynchronous": asynchronous}
    assert not differing(Agent(openai, of_chat(httpx, calls=calls), **given), Agent(openai, **given))


class Claude(Agent):
    """The same over Anthropic's SDK."""

    def _ask(self, run):
        where = {"http_client": self.fake.client()} if self.fake else {"base_url": run.model.anthropic_base_url}
        tools = [{"name": "refund", "input_schema": {"type": "object"}}]
        with self.openai.Anthropic(api_key="x", **where) as client:
            if not self.streams:
                came = client.messages.create(**ASKED, max_tokens=99, tools=tools)
            else:
                with client.messages.stream(**ASKED, max_tokens=99, tools=tools) as stream:
                    came = stream.get_final_message()
        return repr([(part.type, getattr(part, "text", None), getattr(part, "input", None)) for part in came.content])


def of_messages(httpx):
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 1},
    }
    use = {"type": "tool_use", "id": "toolu_7", "name": "refund"}
    pieces = [ARGUMENTS[start : start + 12] for start in range(0, len(ARGUMENTS), 12)]
    told = [
        {"type": "message_start", "message": message},
        {"type": "ping"},
        {"type": "content_block_start", "index": 0, "content_block": {**use, "input": {}}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
            for piece in pieces
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]
    body = {**message, "content": [{**use, "input": json.loads(ARGUMENTS)}], "stop_reason": "tool_use"}
    return Fake(httpx, body, events(*told, names=True))


def test_over_anthropic_too(anthropic, httpx):
    given = {"streams": True, "calls": True}
    assert not differing(Claude(anthropic, of_messages(httpx), **given), Claude(anthropic, **given))


class Responding(Agent):
    """The same over responses."""

    def _ask(self, run):
        tools = [{"type": "function", "name": "refund", "parameters": {"type": "object", "properties": {}}}]
        with (
            self.openai.OpenAI(**self._options(run, "client")) as client,
            client.responses.stream(model="m", input="Pay it back.", tools=tools) as stream,
        ):
            came = stream.get_final_response()
        said = [(each.type, getattr(each, "arguments", None), getattr(each, "content", None)) for each in came.output]
        return f"{came.status} {came.incomplete_details} {said}"


class OfResponses(Fake):
    """A fake that is good at what it does."""

    def __init__(self, httpx):
        super().__init__(httpx, None, None)
        self.dialect = Responses()

    def __call__(self, request):
        stamp = Stamp(1, lambda prefix, *place: f"{prefix}{'x' * 24}{''.join(map(str, place))}")
        reply = Reply(calls=(ToolUse("refund", ARGUMENTS, "call_7"),))
        frames = self.dialect.frames(self.dialect.read(json.loads(request.content), {}), reply, stamp)
        told = {"content-type": "text/event-stream"}
        return self.httpx.Response(200, headers=told, content=b"".join(frames.events))


def test_over_responses_too(openai, httpx):
    given = {"streams": True, "calls": True}
    assert not differing(Responding(openai, OfResponses(httpx), **given), Responding(openai, **given))


def test_what_no_fault_concerns_is_the_fakes_own_and_recorded_once(openai, httpx):
    fake = of_chat(httpx, calls=True)
    answers, runs = [], []

    def agent(run):
        runs.append(run)
        with openai.OpenAI(api_key="x", http_client=fake.client()) as client:
            answers.append(client.chat.completions.with_raw_response.create(**ASKED))

    runner = Runner(Environment, agent)
    assert runner(()).status == "passed"
    (answer,) = answers
    assert (answer.headers["x-mine"], answer.content) == ("yes", fake(fake.asked[0]).content)
    trace = [event for _, event in runs[0].trace]
    kinds = [type(event) for event in trace if isinstance(event, ModelCall | Attempt | AttemptEnd | ModelReply)]
    assert kinds == [ModelCall, Attempt, AttemptEnd, ModelReply]
    (attempt,) = (event for event in trace if isinstance(event, Attempt))
    assert (attempt.nth, attempt.attempt, bool(attempt.digest)) == (1, 1, True)


@pytest.fixture
def asking(openai, httpx):
    """`asking(kind)` asks a fake that calls a tool, with a fault at its first request: the fake, the reply, the run."""

    def ask(kind, fake=None, **options):
        fake = fake or of_chat(httpx, calls=True)
        got, runs = [], []

        def agent(run):
            runs.append(run)
            with openai.OpenAI(api_key="x", http_client=fake.client(), **options) as client:
                got.append(client.chat.completions.create(**ASKED))

        runner = Runner(Environment, agent, [kind])
        calm = runner(())
        fake.asked.clear()
        got.clear()
        came = runner(calm.seen[0].choices[:1])
        return fake, got, runs[-1], came

    return ask


def test_a_fault_in_place_of_an_answer_asks_nobody_and_backing_off_takes_no_time(asking):
    fake, got, run, came = asking("timeout")
    assert len(fake.asked) == len(got) == 1  # the hidden retry
    assert run.clock.elapsed() > 600
    assert [each.point.attempt for each in came.seen] == [1, 2]


def test_a_lost_answer_has_been_given_and_a_retry_asks_again(asking):
    fake, got, _, _ = asking("short_body")
    assert (len(fake.asked), len(got)) == (2, 1)


def test_what_a_fault_leaves_of_an_answer_is_the_fakes(asking):
    _, (reply,), _, _ = asking("truncated_arguments")
    (use,) = reply.choices[0].message.tool_calls
    assert (reply.id, reply.usage.prompt_tokens, use.id, use.function.name) == ("c", 3, "call_7", "refund")
    assert 0 < len(use.function.arguments) < len(ARGUMENTS)
    assert ARGUMENTS.startswith(use.function.arguments)


class Broken(Fake):
    """Raises, or says no."""

    def __init__(self, httpx, answer):
        super().__init__(httpx, {}, b"")
        self.calm, self.answer = of_chat(httpx, calls=True), answer

    def __call__(self, request):
        self.asked.append(request)
        return self.answer() if self.calm is None else self.calm(request)


def test_a_fault_in_an_answer_that_is_none_has_not_fired_and_says_why(asking, openai, httpx):
    def breaks():
        raise httpx.ConnectError("no route")

    def refuses():
        return httpx.Response(418, json={"error": {"message": "a teapot"}}, headers={"x-mine": "yes"})

    def leads_away():
        return httpx.Response(308, headers={"location": "http://elsewhere.example/v1/chat/completions"})

    for answer, raised, why in (
        (breaks, "APIConnectionError", "whoever was asked gave no answer"),
        (refuses, "APIStatusError", "the answer was an error"),
        (leads_away, "APIStatusError", "the answer led to another address"),
    ):
        fake = Broken(httpx, answer)
        runs: list[Environment] = []

        def agent(run, fake=fake, runs=runs):
            runs.append(run)
            with openai.OpenAI(api_key="x", max_retries=0, http_client=fake.client()) as client:
                client.chat.completions.create(**ASKED)

        runner = Runner(Environment, agent, ["empty_content"])
        calm = runner(())
        fake.calm = None
        came = runner(calm.seen[0].choices)
        result = runs[-1].result
        assert result is not None
        assert (type(result.error).__name__, came.fired) == (raised, ())
        assert why in result.not_fired[0]


def test_a_run_without_weather_has_nobody_between(openai, httpx):
    fake = of_chat(httpx, calls=False)
    with Environment() as run, openai.OpenAI(api_key="x", http_client=fake.client()) as client:
        client.chat.completions.create(**ASKED)
    assert [event.digest for _, event in run.trace if isinstance(event, Attempt)] == [""]


def test_an_agent_that_asks_without_end_hangs_at_the_limit_of_calls(openai, httpx):
    fake = of_chat(httpx, calls=False)

    def agent(run):
        with openai.OpenAI(api_key="x", http_client=fake.client()) as client:
            while True:
                client.chat.completions.create(**ASKED)

    assert Runner(lambda: Environment(limits={"calls": 5}), agent)(()).status == "hung"
    assert len(fake.asked) == 5


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])
def test_a_run_that_the_agent_names_itself_is_reached_and_each_trace_has_the_request_once(openai, httpx, streams):
    fake = of_chat(httpx, calls=True)
    traces: list[list[Any]] = []

    def agent(run):
        with squall.run("mine") as mine, openai.OpenAI(api_key="x", http_client=fake.client()) as client:
            came = client.chat.completions.create(**ASKED, stream=streams)
            if streams:
                put_together(came)
        traces[:] = [[event for _, event in trace] for trace in (run.trace, mine.trace)]

    runner = Runner(Environment, agent, ["truncated_arguments"])
    for schedule in [(), *([each] for each in runner(()).seen[0].choices)]:
        runner(tuple(schedule))
        for trace in traces:
            kinds = [type(event) for event in trace]
            assert [kinds.count(kind) for kind in (ModelCall, Attempt, ModelReply)] == [1, 1, 1]
            (reply,) = (event for event in trace if isinstance(event, ModelReply))
            assert (reply.calls[0]["arguments"] == ARGUMENTS) is not bool(schedule)


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_vectors_are_made_worse_too(openai, httpx, encoding):
    vectors = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]]
    packed = [base64.b64encode(struct.pack("<3f", *each)).decode() for each in vectors]
    data = [
        {"object": "embedding", "index": place, "embedding": each}
        for place, each in enumerate(packed if encoding == "base64" else vectors)
    ]
    body = {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 2, "total_tokens": 2}}
    fake = Fake(httpx, body, b"")
    got: list[Any] = []
    asked = {} if encoding == "base64" else {"encoding_format": encoding}

    def agent(run):
        with openai.OpenAI(api_key="x", http_client=fake.client()) as client:
            came = client.embeddings.create(model="m", input=["a", "b"], **asked)
            got[:] = [(each.index, each.embedding) for each in came.data]

    def under(kind):
        runner = Runner(Environment, agent, [kind])
        assert runner(runner(()).seen[0].choices[:1]).fired
        return list(got)

    assert under("wrong_order") == [(1, vectors[1]), (0, vectors[0])]
    assert len(under("wrong_count")) != len(vectors)
    assert {len(vector) for _, vector in under("wrong_dimension")} != {3}
