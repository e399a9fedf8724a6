"""The openai SDK, unmodified: what it is used for, and what it does by itself when things go wrong."""

from __future__ import annotations

import asyncio
import importlib
import json
import math

import pydantic
import pytest

from squall.models import call, calls, expect, refuse, say
from squall.trace.kinds import Attempt, ModelCall
from tests.sdks.ways import CHAT_TOOL, FLAT_TOOL, PROMPT, QUESTION

TEXT = "one two three four five six"


class Order(pydantic.BaseModel):
    id: str
    amount: int


@pytest.fixture
def client(openai, model):
    with openai.OpenAI() as client:
        yield client


def chat(client, **more):
    return client.chat.completions.create(model="gpt-x", messages=QUESTION, **more)


class TestChat:
    def test_an_answer_has_its_text_its_usage_and_an_id(self, client, model):
        model.script(say(TEXT, usage={"input": 9, "output": 6, "cached": 4, "reasoning": 2}))
        found = chat(client)
        assert found.choices[0].message.content == TEXT
        assert (found.model, found.choices[0].finish_reason, found.object) == ("gpt-x", "stop", "chat.completion")
        assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (9, 6, 15)
        assert found.usage.prompt_tokens_details.cached_tokens == 4
        assert found.usage.completion_tokens_details.reasoning_tokens == 2
        assert found._request_id.startswith("req_")

    def test_the_same_within_asyncio_run(self, openai, model):
        model.script(say(TEXT))

        async def main():
            async with openai.AsyncOpenAI() as client:
                return await chat(client)

        assert asyncio.run(main()).choices[0].message.content == TEXT

    @pytest.mark.asyncio
    async def test_the_same_in_an_async_test(self, openai, model):
        model.script(say(TEXT))
        async with openai.AsyncOpenAI() as client:
            assert (await chat(client)).choices[0].message.content == TEXT

    @pytest.mark.asyncio
    async def test_many_requests_at_once_are_answered_each_by_its_own(self, openai, model):
        model.brain(lambda request: request.messages[-1].text.upper())
        async with openai.AsyncOpenAI() as client:

            async def asked(text):
                made = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
                return made.choices[0].message.content

            assert await asyncio.gather(*map(asked, "abcdefgh")) == list("ABCDEFGH")

    def test_n_stop_and_max_tokens_are_kept_to(self, client, model):
        model.brain(lambda _request: TEXT)
        several = chat(client, n=3)
        assert [each.index for each in several.choices] == [0, 1, 2]
        stopped = chat(client, stop=["four"]).choices[0]
        assert (stopped.message.content, stopped.finish_reason) == ("one two three ", "stop")
        short = chat(client, max_tokens=3)
        assert short.choices[0].finish_reason == "length"
        assert short.usage.completion_tokens == 3
        assert TEXT.startswith(short.choices[0].message.content)

    def test_tools_are_called_in_parallel_and_answered(self, client, model):
        model.script(
            calls(call("pay", to="Bob", amount=5), call("pay", to="Eve", amount=7)),
            say("Both are paid.").after(expect(tool="pay")),
        )
        message = chat(client, tools=[CHAT_TOOL]).choices[0].message
        assert [json.loads(each.function.arguments)["to"] for each in message.tool_calls] == ["Bob", "Eve"]
        results = [{"role": "tool", "tool_call_id": each.id, "content": "paid"} for each in message.tool_calls]
        second = client.chat.completions.create(model="gpt-x", messages=[*QUESTION, message, *results])
        assert second.choices[0].message.content == "Both are paid."

    def test_a_conversation_with_a_call_without_its_result_is_refused_unless_that_is_turned_off(
        self, openai, client, model
    ):
        model.brain(lambda request: TEXT if len(request.messages) > 1 else call("pay", to="Bob").reply)
        message = chat(client, tools=[CHAT_TOOL]).choices[0].message
        broken = [*QUESTION, message, {"role": "user", "content": "And?"}]
        with pytest.raises(openai.BadRequestError, match="tool_call"):
            client.chat.completions.create(model="gpt-x", messages=broken)
        model.strict_history = False
        assert client.chat.completions.create(model="gpt-x", messages=broken).choices[0].message.content == TEXT

    def test_an_answer_is_parsed_into_a_model_of_pydantic(self, client, model):
        model.script(say('{"id":"o1","amount":5}'))
        found = client.chat.completions.parse(model="gpt-x", messages=QUESTION, response_format=Order)
        assert found.choices[0].message.parsed == Order(id="o1", amount=5)

    def test_a_refusal_is_no_order(self, client, model):
        model.script(refuse("I would rather not."))
        message = (
            client.chat.completions.parse(model="gpt-x", messages=QUESTION, response_format=Order).choices[0].message
        )
        assert (message.parsed, message.refusal) == (None, "I would rather not.")

    def test_stored_completions_are_found_listed_changed_and_deleted(self, client, model, openai):
        model.script(say(TEXT))
        made = chat(client, store=True, metadata={"run": "1"})
        assert client.chat.completions.retrieve(made.id).choices[0].message.content == TEXT
        assert [each.id for each in client.chat.completions.list()] == [made.id]
        assert client.chat.completions.update(made.id, metadata={"run": "2"}).metadata == {"run": "2"}
        assert [each.content for each in client.chat.completions.messages.list(made.id)] == [PROMPT]
        assert client.chat.completions.delete(made.id).deleted
        with pytest.raises(openai.NotFoundError):
            client.chat.completions.retrieve(made.id)


class TestStreams:
    def test_pieces_make_up_the_text_and_usage_comes_last_where_it_is_asked_for(self, client, model):
        model.script(say(TEXT))
        chunks = list(chat(client, stream=True, stream_options={"include_usage": True}))
        assert "".join(each.choices[0].delta.content or "" for each in chunks if each.choices) == TEXT
        assert len(chunks) > 4
        assert chunks[-1].choices == []
        assert chunks[-1].usage.total_tokens == chunks[-1].usage.prompt_tokens + chunks[-1].usage.completion_tokens
        assert len({each.id for each in chunks}) == 1

    @pytest.mark.asyncio
    async def test_an_async_stream_has_no_usage_unless_asked(self, openai, model):
        model.script(say(TEXT))
        async with openai.AsyncOpenAI() as client:
            chunks = [each async for each in await chat(client, stream=True)]
        assert "".join(each.choices[0].delta.content or "" for each in chunks) == TEXT
        assert {each.usage for each in chunks} == {None}

    @pytest.mark.parametrize("interleaved", [False, True])
    def test_parallel_calls_are_put_together_by_their_index_also_where_their_deltas_take_turns(
        self, client, model, interleaved
    ):
        model.script(calls(call("pay", to="Bob", note="rent of May"), call("pay", to="Eve", note="rent of June")))
        if interleaved:
            model.faults({"model.chat": [{"kind": "interleaved_deltas", "nth": 1}]})
        with client.chat.completions.stream(model="m", messages=QUESTION, tools=[CHAT_TOOL]) as stream:
            message = stream.get_final_completion().choices[0].message
        assert [json.loads(each.function.arguments) for each in message.tool_calls] == [
            {"to": "Bob", "note": "rent of May"},
            {"to": "Eve", "note": "rent of June"},
        ]

    def test_a_stream_is_parsed_into_a_model_of_pydantic(self, client, model):
        model.script(say('{"id":"o1","amount":5}'))
        with client.chat.completions.stream(model="m", messages=QUESTION, response_format=Order) as stream:
            assert stream.get_final_completion().choices[0].message.parsed == Order(id="o1", amount=5)

    def test_who_leaves_in_mid_stream_is_seen_to_have_left(self, client, model):
        model.script(say(TEXT))
        model.faults({"model.chat": [{"kind": "slow_chunks", "seconds": 1}]})
        stream = chat(client, stream=True)
        next(iter(stream))
        stream.close()
        assert model.attempts[0].disconnected


class TestResponses:
    def test_a_response_has_its_text_and_usage_and_can_be_found_again(self, client, model, openai):
        model.script(say(TEXT))
        made = client.responses.create(model="m", input=PROMPT)
        assert (made.output_text, made.status) == (TEXT, "completed")
        assert made.usage.total_tokens == made.usage.input_tokens + made.usage.output_tokens
        assert client.responses.retrieve(made.id).output_text == TEXT
        assert [each.content[0].text for each in client.responses.input_items.list(made.id)] == [PROMPT]
        client.responses.delete(made.id)
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve(made.id)

    def test_a_call_is_answered_by_the_id_of_the_response_before(self, client, model):
        model.script(call("pay", to="Bob"), say("Paid.").after(expect(tool="pay")))
        first = client.responses.create(model="m", input=PROMPT, tools=[FLAT_TOOL])
        (wanted,) = [item for item in first.output if item.type == "function_call"]
        result = {"type": "function_call_output", "call_id": wanted.call_id, "output": "paid"}
        second = client.responses.create(model="m", input=[result], previous_response_id=first.id)
        assert second.output_text == "Paid."
        assert [each.role for each in model.requests[1].messages] == ["user", "assistant", "tool"]

    def test_a_stream_ends_with_the_whole_response(self, client, model):
        model.script(say(TEXT))
        with client.responses.stream(model="m", input=PROMPT) as stream:
            events = [event.type for event in stream]
            assert stream.get_final_response().output_text == TEXT
        assert events[0] == "response.created"
        assert events[-1] == "response.completed"

    @pytest.mark.asyncio
    async def test_a_response_is_parsed_into_a_model_of_pydantic(self, openai, model):
        model.script(say('{"id":"o1","amount":5}'))
        async with openai.AsyncOpenAI() as client:
            found = await client.responses.parse(model="m", input=PROMPT, text_format=Order)
        assert found.output_parsed == Order(id="o1", amount=5)

    def test_its_events_can_be_had_again(self, client, model):
        model.script(say("One two three."))
        made = client.responses.create(model="gpt-5", input="Hi!")
        seen = list(client.responses.retrieve(made.id, stream=True))
        assert "".join(each.delta for each in seen if each.type == "response.output_text.delta") == "One two three."
        assert seen[-1].response.output_text == "One two three."
        later = list(client.responses.retrieve(made.id, stream=True, starting_after=seen[-2].sequence_number))
        assert [each.type for each in later] == ["response.completed"]

    def test_one_in_the_background_becomes_ready_or_is_cancelled(self, client, model):
        model.brain(lambda _request: TEXT)
        made = client.responses.create(model="m", input=PROMPT, background=True)
        statuses = [made.status]
        while statuses[-1] != "completed":
            statuses.append(client.responses.retrieve(made.id).status)
        assert statuses == ["queued", "in_progress", "completed"]
        other = client.responses.create(model="m", input=PROMPT, background=True)
        assert client.responses.cancel(other.id).status == "cancelled"

    def test_tokens_are_counted_as_the_response_counts_them(self, client, model):
        model.script(say(TEXT))
        counted = client.responses.input_tokens.count(model="m", input=PROMPT).input_tokens
        assert client.responses.create(model="m", input=PROMPT).usage.input_tokens == counted


class TestEmbeddings:
    def test_base64_and_numbers_are_the_same_vectors(self, client):
        packed = client.embeddings.create(model="e", input=["red house", "red car"])
        plain = client.embeddings.create(model="e", input=["red house", "red car"], encoding_format="float")
        for one, other in zip(packed.data, plain.data, strict=True):
            assert one.embedding == pytest.approx(other.embedding, abs=1e-6)
            assert math.hypot(*other.embedding) == pytest.approx(1)
        assert packed.usage.total_tokens == packed.usage.prompt_tokens > 0

    def test_the_dimension_is_the_one_that_was_asked_for(self, client):
        assert len(client.embeddings.create(model="e", input="red", dimensions=7).data[0].embedding) == 7

    @pytest.mark.asyncio
    async def test_equal_texts_have_equal_vectors(self, openai, model):
        async with openai.AsyncOpenAI() as client:
            found = await client.embeddings.create(model="e", input=["red house", "red house", "blue sea"])
        first, second, third = (each.embedding for each in found.data)
        assert first == second != third


class TestModels:
    def test_a_model_is_found_by_its_name(self, client):
        assert client.models.retrieve("gpt-x").id == "gpt-x"
        assert all(each.object == "model" for each in client.models.list())


class TestTries:
    """What the SDK does by itself, in virtual time."""

    def test_a_refused_request_is_sent_again_and_each_try_is_counted(self, client, model, clock):
        model.script(say(TEXT))
        model.faults({"model.chat": [{"kind": "http_503", "first": 2}]})
        assert chat(client).choices[0].message.content == TEXT
        assert [each.attempt for each in model.attempts] == [1, 2, 3]
        assert [each.call for each in model.attempts] == [1, 1, 1]
        assert [each.status for each in model.attempts] == [503, 503, 200]
        assert [each.headers["x-stainless-retry-count"] for each in model.requests] == ["0", "1", "2"]
        assert 0.375 + 0.75 <= clock.elapsed() <= 0.5 + 1  # 0.5 · 2ⁿ, times 0.75 to 1

    def test_the_tries_stand_in_the_trace(self, client, model, trace):
        model.script(say(TEXT))
        model.faults({"model.chat": [{"kind": "http_503", "first": 2}]})
        chat(client)
        told = [event for _, event in trace]
        assert [each.attempt for each in told if isinstance(each, Attempt)] == [1, 2, 3]
        assert sum(isinstance(each, ModelCall) for each in told) == 1
        assert [each.status for each in trace.model_calls()[0].attempts] == [503, 503, 200]

    @pytest.mark.parametrize(
        ("parameters", "waited"),
        [
            ({"retry_after": 7}, 7),
            ({"retry_after_ms": 250}, 0.25),
            ({"retry_after_ms": 1500, "retry_after": 7}, 1.5),
            ({"retry_after": 119}, 119),
        ],
    )
    def test_it_waits_as_long_as_it_is_asked_to(self, client, model, clock, parameters, waited):
        model.script(say(TEXT))
        model.faults({"model.chat": [{"kind": "http_429", "nth": 1, **parameters}]})
        chat(client)
        assert clock.elapsed() == pytest.approx(waited)

    @pytest.mark.parametrize("parameters", [{"retry_after": 0}, {"retry_after_ms": 0}])
    def test_asked_to_wait_for_nothing_it_waits_as_it_would_unasked(self, client, model, clock, parameters):
        model.script(say(TEXT))
        model.faults({"model.chat": [{"kind": "http_429", "nth": 1, **parameters}]})
        chat(client)
        assert 0.375 <= clock.elapsed() <= 0.5

    def test_asked_to_wait_too_long_it_gives_up_at_once(self, openai, client, model, clock):
        model.faults({"model.chat": [{"kind": "http_429", "retry_after": 121}]})
        with pytest.raises(openai.RateLimitError):
            chat(client)
        assert (len(model.attempts), clock.elapsed()) == (1, 0)

    @pytest.mark.parametrize(
        ("status", "tries"), [(408, 3), (409, 3), (429, 3), (500, 3), (529, 3), (400, 1), (404, 1)]
    )
    def test_which_statuses_are_tried_again(self, openai, client, model, status, tries):
        model.faults({"model.chat": [{"kind": f"http_{status}"}]})
        with pytest.raises(openai.APIStatusError) as caught:
            chat(client)
        assert caught.value.status_code == status
        assert len(model.attempts) == tries

    @pytest.mark.parametrize(("status", "asked", "tries"), [(400, True, 3), (503, False, 1)])
    def test_x_should_retry_is_obeyed(self, openai, client, model, status, asked, tries):
        model.faults({"model.chat": [{"kind": f"http_{status}", "x_should_retry": asked}]})
        with pytest.raises(openai.APIStatusError):
            chat(client)
        assert len(model.attempts) == tries

    @pytest.mark.parametrize("kind", ["connection_error", "reset", "short_body"])
    def test_a_broken_connection_is_tried_again(self, client, model, kind):
        model.script(say(TEXT))
        model.faults({"model.chat": [{"kind": kind, "first": 2}]})
        assert chat(client).choices[0].message.content == TEXT
        assert len(model.attempts) == 3

    def test_the_number_of_tries_is_the_users_to_set(self, openai, model):
        model.faults({"model.chat": [{"kind": "http_500"}]})
        with openai.OpenAI(max_retries=5) as client, pytest.raises(openai.InternalServerError):
            chat(client)
        assert [each.attempt for each in model.attempts] == [1, 2, 3, 4, 5, 6]

    def test_its_waits_double_up_to_eight_seconds(self, openai, model, clock):
        model.faults({"model.chat": [{"kind": "http_500"}]})
        with openai.OpenAI(max_retries=7) as client, pytest.raises(openai.InternalServerError):
            chat(client)
        waits = 0.5 + 1 + 2 + 4 + 8 + 8 + 8
        assert 0.75 * waits <= clock.elapsed() <= waits

    def test_a_rate_limit_of_the_plan_asks_to_wait_until_it_is_over(self, client, model, clock):
        model.brain(lambda _request: TEXT)
        model.faults({"model.chat": {"rate_limit": {"calls": 1, "per_seconds": 30}}})
        chat(client)
        chat(client)
        assert [each.status for each in model.attempts] == [200, 429, 200]
        assert 30 <= clock.elapsed() <= 31


class TestDeadlines:
    def test_a_timeout_ends_at_exactly_its_time(self, openai, model, clock):
        model.faults({"model.chat": [{"kind": "timeout"}]})
        with openai.OpenAI(timeout=60, max_retries=0) as client, pytest.raises(openai.APITimeoutError):
            chat(client)
        assert clock.elapsed() == 60
        assert model.attempts[0].disconnected

    @pytest.mark.asyncio
    async def test_so_it_does_in_an_async_test(self, openai, model, clock):
        model.faults({"model.chat": [{"kind": "timeout"}]})
        async with openai.AsyncOpenAI(timeout=60, max_retries=0) as client:
            with pytest.raises(openai.APITimeoutError):
                await chat(client)
        assert clock.elapsed() == 60

    def test_unless_told_otherwise_it_waits_for_ten_minutes_three_times(self, openai, client, model, clock):
        model.faults({"model.chat": [{"kind": "timeout"}]})
        with pytest.raises(openai.APITimeoutError):
            chat(client)
        assert len(model.attempts) == 3
        assert 1800 + 1.125 <= clock.elapsed() <= 1800 + 1.5

    @pytest.mark.parametrize("rules", [[{"kind": "latency", "seconds": 59}], [{"kind": "slow_body", "seconds": 59}]])
    def test_a_deadline_is_for_each_read_and_not_for_the_whole(self, openai, model, clock, rules):
        model.script(say(TEXT))
        model.faults({"model.chat": rules})
        with openai.OpenAI(timeout=60) as client:
            assert chat(client).choices[0].message.content == TEXT
        assert clock.elapsed() == (590 if rules[0]["kind"] == "slow_body" else 59)

    def test_slow_chunks_are_no_reason_to_give_up(self, openai, model, clock):
        model.script(say(TEXT))
        model.faults({"model.chat": [{"kind": "slow_chunks", "seconds": 50}]})
        with openai.OpenAI(timeout=60) as client:
            chunks = list(chat(client, stream=True))
        assert clock.elapsed() == (len(chunks)) * 50  # none before the first, and one before [DONE]
        assert model.attempts[0].complete

    @pytest.mark.asyncio
    async def test_a_deadline_of_the_agents_own_ends_what_only_pings(self, openai, model, clock):
        model.script(say(TEXT))
        model.faults({"model.chat": [{"kind": "ping_only"}]})

        async def read(client):
            return [each async for each in await chat(client, stream=True)]

        async with openai.AsyncOpenAI(timeout=60) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(read(client), 300)
        assert clock.elapsed() == 300


class TestKeys:
    def test_no_key_and_no_address_are_needed_and_none_is_kept(self, client, model):
        model.script(say(TEXT))
        chat(client)
        assert str(client.base_url).rstrip("/") == model.openai_base_url
        assert "authorization" not in model.requests[0].headers

    def test_a_client_made_for_the_real_provider_reaches_the_fake_one(self, openai, model):
        model.script(say(TEXT))
        with openai.OpenAI(base_url="https://api.openai.com/v1", api_key="sk-real") as client:
            assert chat(client).choices[0].message.content == TEXT
        assert "sk-real" not in str(model.requests[0].headers)

    @pytest.mark.asyncio
    async def test_so_does_an_async_one(self, openai, model):
        model.script(say(TEXT))
        async with openai.AsyncOpenAI(base_url="https://api.openai.com/v1", api_key="sk-real") as client:
            assert (await chat(client)).choices[0].message.content == TEXT

    @pytest.mark.parametrize("library", ["httpx", "httpx2"])
    def test_a_client_of_ones_own_is_covered_too(self, openai, model, library):
        http = importlib.import_module(library)
        model.script(say(TEXT))
        with openai.OpenAI(http_client=http.Client()) as client:
            assert chat(client).choices[0].message.content == TEXT

    @pytest.mark.asyncio
    @pytest.mark.parametrize("library", ["httpx", "httpx2"])
    async def test_so_is_an_async_one(self, openai, model, library):
        http = importlib.import_module(library)
        model.script(say(TEXT))
        async with openai.AsyncOpenAI(http_client=http.AsyncClient()) as client:
            assert (await chat(client)).choices[0].message.content == TEXT
