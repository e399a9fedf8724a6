"""Every kind of fault of models, seen through a real SDK: where it happens, and where there is nothing for it to do."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pydantic
import pytest

from squall.faults import registry
from squall.models import call, calls, say
from tests.sdks.ways import CHAT_TOOL, MESSAGES_TOOL, QUESTION, ask

TEXT = "one two three four five six"
OTHER = {"model": "another"}
STREAMED = {"stream": True}
PAID = {"to": "Bob", "amount": 5, "note": "rent of May"}
PAY = call("pay", PAID)
TWO = calls(PAY, call("pay", to="Eve", note="rent of June"))


def chat(client, **more):
    """What is heard of an answer, as one text: what was said and called, and how it ended; or what was raised."""
    return client.chat.completions.create(**{"model": "m", "messages": QUESTION, "tools": [CHAT_TOOL], **more})


def message_of(answer):
    return answer.choices[0].message


def first_call(answer):
    (first, *_) = message_of(answer).tool_calls
    return first.function


@dataclass(frozen=True)
class Kind:
    """How a kind is seen, and the requests and replies in which there is nothing for it to do."""

    parameters: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)
    says: Any = field(default_factory=lambda: say(TEXT))
    raises: str = ""
    looks: Any = None
    unless_asked: dict[str, Any] | None = None
    unless_says: Any = None


def read(stream):
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


KINDS = {
    "http_503": Kind(raises="InternalServerError"),
    "timeout": Kind(raises="APITimeoutError"),
    "connection_error": Kind(raises="APIConnectionError"),
    "reset": Kind(raises="APIConnectionError"),
    "short_body": Kind(raises="APIConnectionError", unless_asked=STREAMED),
    "slow_body": Kind({"seconds": 70}, raises="APITimeoutError"),
    "malformed_json": Kind(raises="JSONDecodeError", unless_asked=STREAMED),
    "error_in_200": Kind(looks=lambda answer: answer.choices is None),
    "empty_choices": Kind(looks=lambda answer: answer.choices == [], unless_asked=STREAMED),
    "empty_content": Kind(looks=lambda answer: message_of(answer).content == ""),
    "refusal": Kind(looks=lambda answer: message_of(answer).refusal and message_of(answer).content is None),
    "content_filter": Kind(looks=lambda answer: answer.choices[0].finish_reason == "content_filter"),
    "length_cut": Kind(
        looks=lambda answer: (answer.choices[0].finish_reason, message_of(answer).content) == ("length", TEXT[:13]),
        unless_says=say(""),
    ),
    "truncated_arguments": Kind(
        says=PAY, looks=lambda answer: not is_json(first_call(answer).arguments), unless_says=say(TEXT)
    ),
    "invalid_arguments": Kind(
        {"how": "missing"},
        says=PAY,
        looks=lambda answer: "to" not in json.loads(first_call(answer).arguments),
        unless_says=say(TEXT),
    ),
    "unknown_tool": Kind(
        {"name": "pay_out"}, says=PAY, looks=lambda answer: first_call(answer).name == "pay_out", unless_says=say(TEXT)
    ),
    "reused_call_id": Kind(
        says=TWO,
        looks=lambda answer: len({each.id for each in message_of(answer).tool_calls}) == 1,
        unless_says=say(TEXT),
    ),
    "context_overflow": Kind(raises="BadRequestError"),
    "latency": Kind({"seconds": 70}, raises="APITimeoutError"),
    "stream_disconnect": Kind(asked=STREAMED, raises="APIConnectionError", unless_asked={}),
    "stream_stall": Kind({"seconds": 70}, asked=STREAMED, raises="APITimeoutError", unless_asked={}),
    "slow_chunks": Kind({"seconds": 70}, asked=STREAMED, raises="APITimeoutError", unless_asked={}),
    "clean_eof": Kind({"after": 3}, asked=STREAMED, looks=lambda heard: heard == "one two", unless_asked={}),
    "ping_only": Kind({"signs": 3}, asked=STREAMED, raises="APIConnectionError", unless_asked={}),
    "error_event": Kind(asked=STREAMED, raises="APIError", unless_asked={}),
    "malformed_event": Kind(asked=STREAMED, raises="JSONDecodeError", unless_asked={}),
    "interleaved_deltas": Kind(asked=STREAMED, says=TWO, looks=lambda heard: heard == "", unless_says=PAY),
}
"""Those of chat; of embeddings below. `unless_…`: with this in its place, there is nothing to do."""


def is_json(text):
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


@pytest.fixture
def client(openai, model):
    with openai.OpenAI(timeout=60, max_retries=0) as client:
        yield client


def heard(client, asked):
    answer = chat(client, **asked)
    return read(answer) if asked.get("stream") else answer


def test_every_kind_of_models_is_here():
    shown = {"http_503" if name == "http_STATUS" else name for name in registry.names("model")}
    assert shown == {*KINDS, *EMBEDDINGS}


@pytest.mark.parametrize("kind", KINDS)
def test_it_happens_and_is_seen(client, model, kind):
    case = KINDS[kind]
    model.brain(lambda _request: case.says.reply)
    model.faults({"model.chat": [{"kind": kind, "nth": 1, **case.parameters}]})
    if case.raises:
        with pytest.raises(Exception) as caught:
            heard(client, case.asked)
        assert type(caught.value).__name__ == case.raises
    else:
        assert case.looks(heard(client, case.asked))
    assert [each.told()["fault"] for each in model.attempts[0].happened] == [kind]


@pytest.mark.parametrize("kind", [kind for kind, case in KINDS.items() if case.unless_asked is not None])
def test_it_does_not_happen_to_a_request_of_the_other_form(client, model, kind):
    case = KINDS[kind]
    model.brain(lambda _request: case.says.reply)
    model.faults({"model.chat": [{"kind": kind, **case.parameters}]})
    found = heard(client, case.unless_asked)
    assert (found if case.unless_asked else message_of(found).content) == TEXT
    assert not model.attempts[0].happened


@pytest.mark.parametrize("kind", [kind for kind, case in KINDS.items() if case.unless_says is not None])
def test_it_does_not_happen_to_a_reply_that_it_cannot_change(client, model, kind):
    case = KINDS[kind]
    model.brain(lambda _request: case.unless_says.reply)
    model.faults({"model.chat": [{"kind": kind, **case.parameters}]})
    heard(client, case.asked)
    assert not model.attempts[0].happened


@pytest.mark.parametrize("kind", KINDS)
def test_it_does_not_happen_where_its_conditions_do_not_hold(client, model, clock, kind):
    case = KINDS[kind]
    model.brain(lambda _request: case.says.reply)
    model.faults({"model.chat": [{"kind": kind, "when": OTHER, **case.parameters}]})
    heard(client, case.asked)
    assert model.attempts[0].complete
    assert not model.attempts[0].happened
    assert clock.elapsed() == 0


@pytest.mark.parametrize(
    "kind", ["stream_disconnect", "stream_stall", "ping_only", "error_event", "malformed_event", "clean_eof"]
)
def test_a_place_that_the_stream_never_reaches_is_no_fault(client, model, kind):
    model.script(say(TEXT))
    model.faults({"model.chat": [{"kind": kind, "after": 99}]})
    assert read(chat(client, stream=True)) == TEXT
    assert not model.attempts[0].happened


@pytest.mark.usefixtures("openai", "anthropic")
@pytest.mark.parametrize("way", ["openai chat, streamed", "openai responses, streamed", "anthropic messages, streamed"])
def test_several_combine_on_one_reply(model, clock, way):
    model.script(say(TEXT))
    together: list[dict[str, Any]] = [
        {"kind": "latency", "seconds": 7},
        {"kind": "length_cut"},
        {"kind": "slow_chunks", "seconds": 1},
        {"kind": "stream_stall", "seconds": 20, "after": 3},
    ]
    model.faults({"model.*": together})
    assert str(ask(way)) == repr(TEXT[:13])
    (attempt,) = model.attempts
    told = [each.told() for each in attempt.happened]
    assert [each["fault"] for each in told] == [each["kind"] for each in together]
    assert clock.elapsed() == 7 + 20 + told[2]["chunks"]
    assert attempt.complete


class TestTheSamePlacesOverAnthropic:
    @pytest.mark.parametrize(
        ("kind", "reason"), [("length_cut", "max_tokens"), ("content_filter", "refusal"), ("refusal", "refusal")]
    )
    def test_why_a_message_ended(self, anthropic, model, kind, reason):
        model.script(say(TEXT))
        model.faults({"model.messages": [{"kind": kind, "nth": 1}]})
        with anthropic.Anthropic() as client:
            found = client.messages.create(model="m", max_tokens=99, messages=QUESTION)
        assert found.stop_reason == reason

    @pytest.mark.parametrize(("kind", "unlike"), [("unknown_tool", "pay"), ("reused_call_id", None)])
    def test_what_is_called(self, anthropic, model, kind, unlike):
        model.script(TWO)
        model.faults({"model.messages": [{"kind": kind, "nth": 1}]})
        with anthropic.Anthropic() as client:
            found = client.messages.create(model="m", max_tokens=99, messages=QUESTION, tools=[MESSAGES_TOOL])
        if unlike:
            assert {block.name for block in found.content} != {unlike}
        else:
            assert len({block.id for block in found.content}) == 1

    def test_an_id_of_the_conversation_is_used_again_and_then_refused(self, anthropic, model):
        model.brain(lambda request: TEXT if len(request.messages) > 3 else call("pay", to="Bob").reply)
        model.faults({"model.messages": [{"kind": "reused_call_id", "nth": 2}]})
        turns: list[Any] = [*QUESTION]
        with anthropic.Anthropic() as client:
            for _ in range(2):
                found = client.messages.create(model="m", max_tokens=99, messages=turns, tools=[MESSAGES_TOOL])
                result = {"type": "tool_result", "tool_use_id": found.content[0].id, "content": "paid"}
                turns += [{"role": "assistant", "content": found.content}, {"role": "user", "content": [result]}]
            with pytest.raises(anthropic.BadRequestError, match="tool_use"):
                client.messages.create(model="m", max_tokens=99, messages=turns, tools=[MESSAGES_TOOL])


class Order(pydantic.BaseModel):
    """An order."""

    id: str


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        (
            "length_cut",
            {"chat": "LengthFinishReasonError", "responses": "ValidationError", "messages": "ValidationError"},
        ),
        (
            "content_filter",
            {"chat": "ContentFilterFinishReasonError", "responses": "ValidationError", "messages": None},
        ),
    ],
)
def test_who_lets_an_sdk_parse_a_cut_answer_hears_of_it(openai, anthropic, model, kind, seen):
    model.script(say('{"id": "o1"}'))
    model.faults({"model.*": [{"kind": kind}]})
    with openai.OpenAI() as client, anthropic.Anthropic() as other:
        ways = {
            "chat": lambda: client.chat.completions.parse(model="m", messages=QUESTION, response_format=Order),
            "responses": lambda: client.responses.parse(model="m", input="Hi", text_format=Order),
            "messages": lambda: other.messages.parse(model="m", max_tokens=99, messages=QUESTION, output_format=Order),
        }
        for endpoint, parse in ways.items():
            if name := seen[endpoint]:
                with pytest.raises(Exception) as caught:
                    parse()
                assert type(caught.value).__name__ == name
            else:
                assert parse().parsed_output is None


def test_a_request_that_is_too_long_is_refused_in_each_providers_words_and_not_sent_again(openai, anthropic, model):
    model.faults({"model.*": [{"kind": "context_overflow"}]})
    with openai.OpenAI() as client, pytest.raises(openai.BadRequestError) as caught:
        chat(client)
    assert caught.value.code == "context_length_exceeded"
    with anthropic.Anthropic() as client, pytest.raises(anthropic.BadRequestError, match="prompt is too long: "):
        client.messages.create(model="m", max_tokens=99, messages=QUESTION)
    assert len(model.attempts) == 2


def test_a_stream_that_is_broken_within_a_call_leaves_a_valid_call_with_fewer_arguments(anthropic, model):
    model.script(PAY)
    model.faults({"model.messages": [{"kind": "stream_disconnect", "after": 6}]})
    asked = {"model": "m", "max_tokens": 99, "messages": QUESTION, "tools": [MESSAGES_TOOL]}
    with anthropic.Anthropic() as client, client.messages.stream(**asked) as stream:
        with pytest.raises(httpx2.RemoteProtocolError):
            list(stream)
        (block,) = stream.current_message_snapshot.content
    assert block.input == {"to": "Bob", "amount": 5}


EMBEDDINGS = {
    "wrong_count": (lambda right, found: found == right[:1], None),
    "wrong_dimension": (lambda right, found: [len(each) for each in found] == [3, 3], None),
    "wrong_order": (lambda right, found: found == right[::-1], "red house"),
    "nan": (lambda right, found: [sum(map(math.isnan, each)) for each in found] == [1, 0], None),
}
"""How each looks beside the right vectors, and the one input with which it has nothing to do."""


def embed(client, inputs, **more):
    found = client.embeddings.create(model="e", input=inputs, dimensions=4, **more)
    return [each.embedding for each in found.data]


@pytest.mark.parametrize("kind", EMBEDDINGS)
class TestEmbeddings:
    def test_it_happens_and_is_seen(self, client, model, kind):
        right = embed(client, ["red house", "blue sea"])
        model.faults({"model.embeddings": [{"kind": kind, "nth": 1}]})
        looks, _ = EMBEDDINGS[kind]
        assert looks(right, embed(client, ["red house", "blue sea"]))
        assert model.attempts[1].happened

    def test_so_it_is_in_numbers(self, client, model, kind):
        model.faults({"model.embeddings": [{"kind": kind, "nth": 1}]})
        found = embed(client, ["red house", "blue sea"], encoding_format="float")
        assert len(found) == (1 if kind == "wrong_count" else 2)
        assert next(each.count(None) for each in found) == (1 if kind == "nan" else 0)

    def test_it_does_not_happen_where_there_is_nothing_to_do(self, client, model, kind):
        _, single = EMBEDDINGS[kind]
        condition = {} if single else {"when": OTHER}
        model.faults({"model.embeddings": [{"kind": kind, **condition}]})
        found = embed(client, single or ["red house", "blue sea"])
        assert not model.attempts[0].happened
        assert [len(each) for each in found] == ([4] if single else [4, 4])


@pytest.mark.parametrize(
    "kind", ["short_body", "malformed_json", "latency", "slow_body", "timeout", "context_overflow"]
)
def test_kinds_of_all_endpoints_are_those_of_embeddings_too(client, model, kind):
    model.faults({"model.embeddings": [{"kind": kind, "nth": 1, **KINDS[kind].parameters}]})
    with pytest.raises(Exception) as caught:
        embed(client, ["red house"])
    assert type(caught.value).__name__ == KINDS[kind].raises
