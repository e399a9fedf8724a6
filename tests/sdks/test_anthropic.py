"""The anthropic SDK, unmodified: what it is used for, and what it does by itself when things go wrong."""

from __future__ import annotations

import asyncio

import httpx
import httpx2
import pydantic
import pytest

import squall
from squall.errors import LimitReached
from squall.models import call, calls, expect, refuse, say
from tests.sdks.ways import MESSAGES_TOOL, PROMPT, QUESTION

REAL = "https://api.anthropic.com"
TEXT = "one two three four five six"


class Order(pydantic.BaseModel):
    id: str
    amount: int


@pytest.fixture
def client(anthropic, model):
    with anthropic.Anthropic() as client:
        yield client


def ask(client, **more):
    return client.messages.create(**{"model": "claude-x", "max_tokens": 99, "messages": QUESTION, **more})


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


class TestMessages:
    def test_an_answer_has_its_text_its_usage_and_an_id(self, client, model):
        model.script(say(TEXT, usage={"input": 9, "output": 6, "cached": 4}))
        found = ask(client, system="Be brief.")
        assert (text_of(found), found.stop_reason, found.model) == (TEXT, "end_turn", "claude-x")
        assert (found.usage.input_tokens, found.usage.cache_read_input_tokens, found.usage.output_tokens) == (5, 4, 6)
        assert found._request_id.startswith("req_")
        assert model.requests[0].messages[0].text == "Be brief."

    def test_the_same_within_asyncio_run(self, anthropic, model):
        model.script(say(TEXT))

        async def main():
            async with anthropic.AsyncAnthropic() as client:
                return await ask(client)

        assert text_of(asyncio.run(main())) == TEXT

    @pytest.mark.asyncio
    async def test_the_same_in_an_async_test(self, anthropic, model):
        model.script(say(TEXT))
        async with anthropic.AsyncAnthropic() as client:
            assert text_of(await ask(client)) == TEXT

    def test_stop_sequences_and_max_tokens_are_kept_to(self, client, model):
        model.brain(lambda _request: TEXT)
        stopped = ask(client, stop_sequences=["four"])
        assert (text_of(stopped), stopped.stop_reason, stopped.stop_sequence) == (
            "one two three ",
            "stop_sequence",
            "four",
        )
        short = ask(client, max_tokens=3)
        assert (short.stop_reason, short.usage.output_tokens) == ("max_tokens", 3)
        assert TEXT.startswith(text_of(short))

    def test_tools_are_called_in_parallel_and_answered(self, client, model):
        model.script(
            say("I pay both.", call("pay", to="Bob", amount=5), call("pay", to="Eve", amount=7)),
            say("Both are paid.").after(expect(tool="pay")),
        )
        first = ask(client, tools=[MESSAGES_TOOL])
        assert (text_of(first), first.stop_reason) == ("I pay both.", "tool_use")
        uses = [block for block in first.content if block.type == "tool_use"]
        assert [use.input["to"] for use in uses] == ["Bob", "Eve"]
        results = [{"type": "tool_result", "tool_use_id": use.id, "content": "paid"} for use in uses]
        turns = [{"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
        assert text_of(ask(client, messages=[*QUESTION, *turns], tools=[MESSAGES_TOOL])) == "Both are paid."

    def test_a_result_without_its_call_is_refused_unless_that_is_turned_off(self, anthropic, client, model):
        model.brain(lambda _request: TEXT)
        result = {"type": "tool_result", "tool_use_id": "toolu_9", "content": "paid"}
        broken = [{"role": "user", "content": [result]}]
        with pytest.raises(anthropic.BadRequestError, match="tool_result"):
            ask(client, messages=broken)
        model.strict_history = False
        assert text_of(ask(client, messages=broken)) == TEXT

    def test_an_answer_is_parsed_into_a_model_of_pydantic(self, client, model):
        model.script(say('{"id":"o1","amount":5}'))
        found = client.messages.parse(model="m", max_tokens=99, messages=QUESTION, output_format=Order)
        assert found.parsed_output == Order(id="o1", amount=5)

    def test_a_refusal_is_a_reason_to_stop(self, client, model):
        model.script(refuse("I would rather not."))
        assert ask(client).stop_reason == "refusal"

    def test_tokens_are_counted_as_the_answer_counts_them(self, client, model):
        model.script(say(TEXT))
        counted = client.messages.count_tokens(model="m", messages=QUESTION, tools=[MESSAGES_TOOL]).input_tokens
        assert ask(client, tools=[MESSAGES_TOOL]).usage.input_tokens == counted > 0

    def test_a_model_is_found_by_its_name(self, client):
        assert client.models.retrieve("claude-x").id == "claude-x"
        assert all(each.type == "model" for each in client.models.list())


class TestStreams:
    def test_pieces_make_up_the_text_and_the_final_message(self, client, model):
        model.script(say(TEXT, reasoning="They can count."))
        with client.messages.stream(model="m", max_tokens=99, messages=QUESTION) as stream:
            pieces = list(stream.text_stream)
            final = stream.get_final_message()
        assert "".join(pieces) == TEXT
        assert len(pieces) > 2
        assert [block.type for block in final.content] == ["thinking", "text"]
        assert (final.stop_reason, final.content[0].thinking) == ("end_turn", "They can count.")

    @pytest.mark.asyncio
    async def test_raw_events_come_in_their_order(self, anthropic, model):
        model.script(say("one"))
        async with anthropic.AsyncAnthropic() as client:
            kinds = [event.type async for event in await ask(client, stream=True)]
        assert [kind for kind in kinds if kind != "ping"] == [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ]

    @pytest.mark.parametrize("interleaved", [False, True])
    def test_parallel_calls_are_put_together_also_where_their_deltas_take_turns(self, client, model, interleaved):
        model.script(calls(call("pay", to="Bob", note="rent of May"), call("pay", to="Eve", note="rent of June")))
        if interleaved:
            model.faults({"model.messages": [{"kind": "interleaved_deltas", "nth": 1}]})
        with client.messages.stream(model="m", max_tokens=99, messages=QUESTION, tools=[MESSAGES_TOOL]) as stream:
            final = stream.get_final_message()
        assert [block.input for block in final.content] == [
            {"to": "Bob", "note": "rent of May"},
            {"to": "Eve", "note": "rent of June"},
        ]

    def test_who_leaves_in_mid_stream_is_seen_to_have_left(self, client, model):
        model.script(say(TEXT))
        model.faults({"model.messages": [{"kind": "slow_chunks", "seconds": 1}]})
        with client.messages.stream(model="m", max_tokens=99, messages=QUESTION) as stream:
            next(iter(stream))
        assert model.attempts[0].disconnected


class TestToolRunner:
    """It talks over a thread: the server holds the conversation, and each request brings only what is new."""

    def run(self, anthropic, client, paid, **more):
        @anthropic.beta_tool
        def pay(to: str, amount: int = 0) -> str:
            """Pay somebody."""
            paid.append((to, amount))
            return f"paid {to}"

        return client.beta.messages.tool_runner(model="m", max_tokens=99, messages=QUESTION, tools=[pay], **more)

    @pytest.mark.parametrize("thread", [None, False])
    def test_tools_are_run_until_the_answer_with_a_thread_and_without(self, anthropic, client, model, thread):
        model.script(
            calls(call("pay", to="Bob", amount=5), call("pay", to="Eve", amount=7)),
            call("pay", to="Ada", amount=9).after(expect(tool="pay")),
            say("All are paid."),
        )
        paid: list[tuple[str, int]] = []
        more = {} if thread is None else {"thread": thread}
        final = self.run(anthropic, client, paid, **more).until_done()
        assert text_of(final) == "All are paid."
        assert paid == [("Bob", 5), ("Eve", 7), ("Ada", 9)]
        assert [len(request.messages) for request in model.requests] == [1, 4, 6]
        assert [len(request.body["messages"]) for request in model.requests] == (
            [1, 1, 1] if thread is None else [1, 3, 5]
        )
        assert [len(request.tools) for request in model.requests] == [1, 1, 1]

    @pytest.mark.asyncio
    async def test_so_does_the_async_one_with_streams(self, anthropic, model):
        model.script(call("pay", to="Bob", amount=5), say("Bob is paid.").after(expect(tool="pay")))
        paid = []

        @anthropic.beta_async_tool
        async def pay(to: str, amount: int = 0) -> str:
            """Pay somebody."""
            paid.append((to, amount))
            return "paid"

        async with anthropic.AsyncAnthropic() as client:
            runner = client.beta.messages.tool_runner(
                model="m", max_tokens=99, messages=QUESTION, tools=[pay], stream=True
            )
            texts = [text_of(await stream.get_final_message()) async for stream in runner]
        assert (texts, paid) == (["", "Bob is paid."], [("Bob", 5)])

    def test_a_thread_that_the_server_has_lost_is_begun_anew_with_all_that_was_said(self, anthropic):
        with anthropic.Anthropic(base_url=REAL, api_key="sk-real") as client:
            thread = client.beta.messages.thread(model="m", max_tokens=99)
            for count in (1, 3):
                with squall.world(None) as run:  # another server, which knows of nothing
                    run.model.brain(lambda request: f"{len(request.messages)} messages")
                    assert text_of(thread.send({"role": "user", "content": "Hi"})) == f"{count} messages"
                    assert [len(request.messages) for request in run.model.requests] == [count]


class TestTries:
    """What the SDK does by itself, in virtual time."""

    def test_a_refused_request_is_sent_again_and_each_try_is_counted(self, client, model, clock):
        model.script(say(TEXT))
        model.faults({"model.messages": [{"kind": "http_529", "first": 2}]})
        assert text_of(ask(client)) == TEXT
        assert [each.attempt for each in model.attempts] == [1, 2, 3]
        assert [each.call for each in model.attempts] == [1, 1, 1]
        assert [each.status for each in model.attempts] == [529, 529, 200]
        assert 0.375 + 0.75 <= clock.elapsed() <= 0.5 + 1

    @pytest.mark.parametrize(
        ("parameters", "waited"),
        [
            ({"retry_after": 7}, 7),
            ({"retry_after_ms": 250}, 0.25),
            ({"retry_after_ms": 1500, "retry_after": 7}, 1.5),
            ({"retry_after": "20m"}, 1200),
        ],
    )
    def test_it_waits_as_long_as_it_is_asked_to_however_long(self, client, model, clock, parameters, waited):
        model.script(say(TEXT))
        model.faults({"model.messages": [{"kind": "http_429", "nth": 1, **parameters}]})
        ask(client)
        assert clock.elapsed() == pytest.approx(waited)

    @pytest.mark.parametrize(
        ("status", "tries"), [(408, 3), (409, 3), (429, 3), (500, 3), (529, 3), (400, 1), (404, 1)]
    )
    def test_which_statuses_are_tried_again(self, anthropic, client, model, status, tries):
        model.faults({"model.messages": [{"kind": f"http_{status}"}]})
        with pytest.raises(anthropic.APIStatusError) as caught:
            ask(client)
        assert (caught.value.status_code, len(model.attempts)) == (status, tries)

    @pytest.mark.parametrize(("status", "asked", "tries"), [(400, True, 3), (503, False, 1)])
    def test_x_should_retry_is_obeyed(self, anthropic, client, model, status, asked, tries):
        model.faults({"model.messages": [{"kind": f"http_{status}", "x_should_retry": asked}]})
        with pytest.raises(anthropic.APIStatusError):
            ask(client)
        assert len(model.attempts) == tries

    @pytest.mark.parametrize("kind", ["connection_error", "reset", "short_body"])
    def test_a_broken_connection_is_tried_again(self, client, model, kind):
        model.script(say(TEXT))
        model.faults({"model.messages": [{"kind": kind, "first": 2}]})
        assert text_of(ask(client)) == TEXT
        assert len(model.attempts) == 3

    def test_an_overload_in_the_stream_is_never_tried_again(self, anthropic, client, model):
        model.script(say(TEXT))
        model.faults({"model.messages": [{"kind": "error_event", "nth": 1, "after": 4, "status": 529}]})
        with pytest.raises(anthropic.APIStatusError) as caught:
            list(ask(client, stream=True))
        assert caught.value.body["error"]["type"] == "overloaded_error"
        assert len(model.attempts) == 1


class TestDeadlines:
    def test_a_timeout_ends_at_exactly_its_time(self, anthropic, model, clock):
        model.faults({"model.messages": [{"kind": "timeout"}]})
        with anthropic.Anthropic(timeout=60, max_retries=0) as client, pytest.raises(anthropic.APITimeoutError):
            ask(client)
        assert clock.elapsed() == 60

    @pytest.mark.asyncio
    async def test_so_it_does_in_an_async_test(self, anthropic, model, clock):
        model.faults({"model.messages": [{"kind": "timeout"}]})
        async with anthropic.AsyncAnthropic(timeout=60, max_retries=0) as client:
            with pytest.raises(anthropic.APITimeoutError):
                await ask(client)
        assert clock.elapsed() == 60

    def test_unless_told_otherwise_it_waits_for_ten_minutes_three_times(self, anthropic, client, model, clock):
        model.faults({"model.messages": [{"kind": "timeout"}]})
        with pytest.raises(anthropic.APITimeoutError):
            ask(client)
        assert len(model.attempts) == 3
        assert 1800 + 1.125 <= clock.elapsed() <= 1800 + 1.5

    def test_pings_alone_keep_a_stream_open_until_the_runs_limit(self, anthropic):
        with (
            pytest.raises(LimitReached),
            squall.world(None, faults={"model.*": [{"kind": "ping_only"}]}) as run,
            anthropic.Anthropic(base_url=REAL, api_key="sk-real", timeout=60) as client,
        ):
            run.model.script(say(TEXT))
            list(ask(client, stream=True))
        assert run.clock.elapsed() == 3600


class TestKeys:
    def test_no_key_and_no_address_are_needed_and_none_is_kept(self, client, model):
        model.script(say(TEXT))
        ask(client)
        assert str(client.base_url).rstrip("/") == model.anthropic_base_url
        assert "x-api-key" not in model.requests[0].headers

    def test_a_client_made_for_the_real_provider_reaches_the_fake_one(self, anthropic, model):
        model.script(say(TEXT))
        with anthropic.Anthropic(base_url=REAL, api_key="sk-real") as client:
            assert text_of(ask(client)) == TEXT
        assert "sk-real" not in str(model.requests[0].headers)

    @pytest.mark.asyncio
    async def test_so_does_an_async_one(self, anthropic, model):
        model.script(say(TEXT))
        async with anthropic.AsyncAnthropic(base_url=REAL, api_key="sk-real") as client:
            assert text_of(await ask(client)) == TEXT

    def test_the_question_is_what_was_asked(self, client, model):
        model.script(say(TEXT))
        ask(client)
        assert [message.text for message in model.requests[0].messages] == [PROMPT]

    def test_a_client_of_ones_own_may_be_httpx2s_and_not_httpxs(self, anthropic, model):
        model.script(say(TEXT))
        with anthropic.Anthropic(http_client=httpx2.Client()) as client:
            assert text_of(ask(client)) == TEXT
        with httpx.Client() as other, pytest.raises(TypeError):
            anthropic.Anthropic(http_client=other)
