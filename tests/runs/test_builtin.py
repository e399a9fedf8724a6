"""The built-in models, asked by the official SDKs in virtual time: what their weather does, and to whom."""

from __future__ import annotations

from typing import Any

import anthropic
import openai
import pytest

from squall.faults import CALM, Inline, parse_plan
from squall.models import NoMatch, builtin, say
from squall.runs.builtin import FIRST, with_builtin
from squall.runs.environment import Environment

HI: list[Any] = [{"role": "user", "content": "hi"}]
TOOL: Any = {"type": "function", "function": {"name": "refund", "parameters": {"type": "object", "properties": {}}}}


@pytest.fixture
def run():
    with Environment() as run:
        assert run.model.requests == []  # from here on it serves
        yield run


@pytest.fixture
def client(run):
    with openai.OpenAI(max_retries=0) as client:
        yield client


def chat(client, model, scope="", **more):
    extra = {"mock_scope": scope} if scope else {}
    return client.chat.completions.create(model=model, messages=HI, extra_body=extra, **more)


def text(client, model, scope="", **more):
    return chat(client, model, scope, **more).choices[0].message.content


def pieces(client, model, **more):
    """The texts of a stream, one by one."""
    for chunk in chat(client, model, stream=True, **more):
        yield chunk.choices[0].delta.content


def test_recover_503_refuses_the_first_request_of_each_scope(client):
    for scope in ("one", "two"):
        with pytest.raises(openai.InternalServerError) as down:
            chat(client, "mock-recover-503", scope)
        assert down.value.status_code == 503
        assert [text(client, "mock-recover-503", scope) for _ in range(2)] == ["SQUALL_RECOVERY_OK"] * 2


def test_an_sdk_recovers_by_its_own_retry(run):
    with openai.OpenAI() as client:
        assert text(client, "mock-recover-503") == "SQUALL_RECOVERY_OK"
    assert [each.status for each in run.model.attempts] == [503, 200]


def test_each_endpoint_has_counters_of_its_own(client):
    with pytest.raises(openai.InternalServerError):
        chat(client, "mock-recover-503")
    with pytest.raises(openai.InternalServerError):
        client.responses.create(model="mock-recover-503", input="hi")
    assert client.responses.create(model="mock-recover-503", input="hi").output_text == "SQUALL_RECOVERY_OK"
    with anthropic.Anthropic(max_retries=0) as other:
        with pytest.raises(anthropic.InternalServerError):
            other.messages.create(model="mock-recover-503", max_tokens=20, messages=HI)
        found: Any = other.messages.create(model="mock-recover-503", max_tokens=20, messages=HI)
    assert found.content[0].text == "SQUALL_RECOVERY_OK"


def test_stream_disconnect_breaks_off_after_two_chunks_each_time(client):
    for _ in range(2):
        stream = pieces(client, "mock-stream-disconnect")
        assert [next(stream), next(stream)] == ["", "Hello!"]
        with pytest.raises(openai.APIConnectionError):
            next(stream)


def test_stream_stall_waits_two_seconds_after_the_second_chunk_and_finishes(run, client):
    stream = pieces(client, "mock-stream-stall")
    assert [next(stream), next(stream)] == ["", "Hello!"]
    assert run.clock.elapsed() == 0
    assert "".join(each or "" for each in stream) == " How can I help you today?"
    assert run.clock.elapsed() == 2


def seen_of_responses(model):
    """How many events came of a response, what was said, and what was raised."""
    seen, said = 0, ""
    with openai.OpenAI(max_retries=0) as client:
        try:
            for event in client.responses.create(model=model, input="hi", stream=True):
                seen += 1
                said += event.delta if event.type == "response.output_text.delta" else ""
        except Exception as error:
            return seen, said, type(error).__name__
    return seen, said, None


def seen_of_messages(model):
    """The same of a message; a ping is no event to the SDK."""
    seen, said = 0, ""
    with anthropic.Anthropic(max_retries=0) as client:
        try:
            for event in client.messages.create(model=model, max_tokens=99, messages=HI, stream=True):
                seen += 1
                said += getattr(event.delta, "text", "") if event.type == "content_block_delta" else ""
        except Exception as error:
            return seen, said, type(error).__name__
    return seen, said, None


@pytest.mark.parametrize(
    ("stream", "cut"),
    [(seen_of_responses, (2, "", "APIConnectionError")), (seen_of_messages, (1, "", "RemoteProtocolError"))],
)
class TestStreamsOfTheOtherEndpoints:
    def test_they_are_broken_off_after_two_chunks(self, run, stream, cut):
        assert [stream("mock-stream-disconnect") for _ in range(2)] == [cut, cut]
        assert [each.injected for each in run.model.attempts] == [True, True]

    def test_they_are_silent_for_two_seconds_and_finish(self, run, stream, cut):
        _, said, error = stream("mock-stream-stall")
        assert (said, error, run.clock.elapsed()) == ("Hello! How can I help you today?", None, 2)

    def test_the_first_alone_is_cut_where_it_recovers(self, run, stream, cut):
        assert stream("mock-recover-stream-disconnect") == cut
        assert stream("mock-recover-stream-disconnect")[1:] == ("SQUALL_STREAM_RECOVERY_OK", None)


@pytest.mark.parametrize("name", ["mock-stream-disconnect", "mock-stream-stall"])
def test_models_for_streams_refuse_what_is_none_and_count_no_attempt(run, client, name):
    with pytest.raises(openai.BadRequestError) as refused:
        chat(client, name)
    assert refused.value.param == "stream"
    assert run.model.attempts == []


def test_recover_stream_disconnect_cuts_the_first_stream_alone(client):
    name = "mock-recover-stream-disconnect"
    assert text(client, name) == "SQUALL_STREAM_RECOVERY_OK"  # no stream, which is not counted as one
    with pytest.raises(openai.APIConnectionError):
        list(pieces(client, name))
    assert "".join(each or "" for each in pieces(client, name)) == "SQUALL_STREAM_RECOVERY_OK"


def test_tools_are_called_and_what_they_return_is_said(client):
    made = chat(client, "mock-tool", tools=[TOOL]).choices[0].message
    [use] = made.tool_calls
    history = [*HI, made.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": use.id, "content": "5 EUR"}]
    said = client.chat.completions.create(model="mock-tool", messages=history, tools=[TOOL])
    assert said.choices[0].message.content == "5 EUR"


def test_so_they_are_over_responses_and_messages(client):
    tool: Any = {"type": "function", "name": "refund", "parameters": {"type": "object", "properties": {}}}
    made: Any = client.responses.create(model="mock-tool", input="hi", tools=[tool])
    [use] = made.output
    result: Any = {"type": "function_call_output", "call_id": use.call_id, "output": "5 EUR"}
    said = client.responses.create(model="mock-tool", previous_response_id=made.id, input=[result], tools=[tool])
    assert said.output_text == "5 EUR"
    tools: Any = [{"name": "refund", "input_schema": {"type": "object", "properties": {}}}]
    with anthropic.Anthropic() as other:
        asked: Any = other.messages.create(model="mock-tool", max_tokens=99, messages=HI, tools=tools)
        [block] = asked.content
        history: Any = [
            *HI,
            {"role": "assistant", "content": asked.content},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": block.id, "content": "5 EUR"}]},
        ]
        told: Any = other.messages.create(model="mock-tool", max_tokens=99, messages=history, tools=tools)
    assert told.content[0].text == "5 EUR"


def test_smoke_says_its_word(client):
    assert text(client, "mock-smoke") == client.responses.create(model="mock-smoke", input="hi").output_text
    assert text(client, "mock-smoke") == "SQUALL_SMOKE_OK"


@pytest.mark.parametrize("bad", ["", '{"ok": false}', "An error occurred while running the tool. Please try again."])
def test_a_bad_result_is_looked_for_again_and_a_good_one_goes_on(client, bad):
    history = list(HI)
    for result in (bad, "5 EUR"):
        made = client.chat.completions.create(model="mock-daily-tool-recovery", messages=history, tools=[TOOL])
        [use] = made.choices[0].message.tool_calls
        history.append(made.choices[0].message.model_dump(exclude_none=True))
        history.append({"role": "tool", "tool_call_id": use.id, "content": result})
    said = client.chat.completions.create(model="mock-daily-tool-recovery", messages=history, tools=[TOOL])
    assert said.choices[0].message.content == "SQUALL_TOOL_RECOVERY_OK"


def test_so_it_is_with_anthropics_marks_of_errors(run):
    tools: Any = [{"name": "refund", "input_schema": {"type": "object", "properties": {}}}]
    history = list(HI)
    with anthropic.Anthropic() as client:

        def ask() -> Any:
            return client.messages.create(
                model="mock-daily-tool-recovery", max_tokens=99, messages=history, tools=tools
            ).content

        for result in ({"content": "no such order", "is_error": True}, {"content": "5 EUR"}):
            [use] = made = ask()
            history.append({"role": "assistant", "content": made})
            history.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": use.id, **result}]})
        assert ask()[0].text == "SQUALL_TOOL_RECOVERY_OK"
    assert len(run.model.attempts) == 3


def test_a_sentinel_is_refused_and_fails_the_run():
    with pytest.raises(NoMatch), Environment() as run:
        assert run.model.requests == []
        with openai.OpenAI() as client, pytest.raises(openai.BadRequestError, match="SQUALL_SENTINEL_2"):
            client.chat.completions.create(
                model="mock-daily-empty-rag-chat", messages=[{"role": "user", "content": "see SQUALL_SENTINEL_2"}]
            )


def vectors(client, model, texts=("a", "b"), scope="", **more):
    extra = {"mock_scope": scope} if scope else {}
    found = client.embeddings.create(model=model, input=list(texts), extra_body=extra, **more)
    return [each.embedding for each in found.data]


@pytest.mark.parametrize(("name", "status"), [("mock-embedding-429", 429), ("mock-embedding-503", 503)])
def test_embeddings_that_always_fail(client, name, status):
    for _ in range(2):
        with pytest.raises(openai.APIStatusError) as failed:
            vectors(client, name)
        assert failed.value.status_code == status


def test_an_embedding_that_comes_two_seconds_late(run):
    with openai.OpenAI(timeout=1, max_retries=0) as hasty, pytest.raises(openai.APITimeoutError):
        vectors(hasty, "mock-embedding-timeout")
    before = run.clock.elapsed()
    with openai.OpenAI(timeout=3, max_retries=0) as patient:
        assert len(vectors(patient, "mock-embedding-timeout")) == 2
    assert run.clock.elapsed() - before == pytest.approx(2)


@pytest.mark.parametrize("encoding", ["float", "base64", None])
def test_the_last_vector_is_missing_or_all_have_the_wrong_dimension(client, encoding):
    more = {} if encoding is None else {"encoding_format": encoding}
    assert len(vectors(client, "mock-embedding-wrong-count", **more)) == 1
    fit = vectors(client, "mock-embedding", dimensions=8, **more)
    short = vectors(client, "mock-embedding-wrong-dimension", dimensions=8, **more)
    long = vectors(client, "mock-embedding-wrong-dimension", dimensions=1, **more)
    if encoding != "base64":  # which the SDK hands on as text
        assert [len(each) for each in (*fit, *short, *long)] == [8, 8, 7, 7, 2, 2]
    else:
        assert [len(each) for each in (*fit, *short, *long)] == [44, 44, 40, 40, 12, 12]


def test_one_input_without_its_vector_is_an_empty_result(run):
    raw = openai.OpenAI(max_retries=0).embeddings.with_raw_response
    response = raw.create(model="mock-embedding-wrong-count", input="a", encoding_format="float")
    assert response.http_response.json()["data"] == []
    assert run.model.attempts[0].complete


def test_an_embedding_that_recovers(client):
    with pytest.raises(openai.InternalServerError):
        vectors(client, "mock-embedding-recover-503", scope="s")
    assert len(vectors(client, "mock-embedding-recover-503", scope="s")) == 2


def test_all_are_listed_by_both_providers(client):
    assert [each.id for each in client.models.list()] == list(builtin.NAMES)
    with anthropic.Anthropic() as other:
        assert [each.id for each in other.models.list()] == list(builtin.NAMES)


def test_a_script_answers_all_models_but_those(run, client):
    run.model.script(say("scripted"))
    assert text(client, "gpt-5") == "scripted"
    assert text(client, "mock-chat") == "Hello! How can I help you today?"


def test_without_a_brain_other_models_have_no_answer_in_a_test():
    with pytest.raises(NoMatch, match="nobody answers for the model 'gpt-5'"), Environment() as run:
        assert run.model.requests == []
        with openai.OpenAI() as client, pytest.raises(openai.BadRequestError):
            text(client, "gpt-5")


def test_rules_of_the_run_go_before_those_of_the_models(run, client):
    run.model.faults({"mock-recover-503": [{"kind": "http_500", "nth": 1}]})
    statuses = []
    for _ in range(3):
        try:
            statuses.append(chat(client, "mock-recover-503") and 200)
        except openai.InternalServerError as error:
            statuses.append(error.status_code)
    assert statuses == [500, 200, 200]  # the first request was the one that both count


def test_no_run_waits_for_the_weather_of_models_that_nobody_asks(run, client):
    run.model.script(say("scripted"))
    assert text(client, "gpt-5") == "scripted"
    assert run.finish().status == "passed"
    assert run.plan is CALM


def test_the_trace_tells_what_they_did_as_of_any_rule(run, client):
    with pytest.raises(openai.InternalServerError):
        chat(client, "mock-recover-503")
    [fault] = run.trace.faults()
    assert (fault.fault, fault.fired) == ("http_503", True)
    assert fault.rule >= FIRST
    assert "http_503" in run.trace.line()


def test_their_rules_have_ids_that_no_plan_reaches():
    mine = parse_plan(Inline({"model.chat": [{"kind": "http_503", "nth": 1}]}), ())
    merged = with_builtin(mine)
    ids = [rule.id for rule in merged.rules.faults]
    assert ids[0] == 0
    assert ids[1:] == list(range(FIRST, FIRST + len(ids) - 1))
    assert merged.sentence(FIRST).startswith("stream_disconnect at mock-stream-disconnect, built in")
    assert set(merged.bound) == set(ids)
    assert mine.models() is None
    assert with_builtin(CALM).models() == frozenset(builtin.FAULTS)
