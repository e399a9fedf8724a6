"""litellm, unmodified, over both providers: httpx below its sync calls, aiohttp below its async ones."""

from __future__ import annotations

import asyncio
import json

import pytest

import squall
from squall.errors import SquallError
from squall.models import call, calls, expect, say
from tests.sdks.ways import CHAT_TOOL, QUESTION

pytestmark = pytest.mark.filterwarnings("ignore:.*the .ReadOnly. qualifier:UserWarning")  # its types, to pydantic
TEXT = "one two three four five six"
BOTH = pytest.mark.parametrize("name", ["openai/m", "anthropic/claude-x"])


@pytest.fixture
def closing(litellm):
    """Runs what is awaited, and closes the clients that litellm keeps, in one loop."""
    from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

    def run(awaited):
        async def main():
            try:
                return await awaited
            finally:
                await close_litellm_async_clients()

        return asyncio.run(main())

    return run


@BOTH
class TestCompletions:
    def test_an_answer_has_its_text_and_its_usage(self, litellm, model, name):
        model.script(say(TEXT, usage={"input": 9, "output": 6}))
        found = litellm.completion(model=name, messages=QUESTION)
        assert found.choices[0].message.content == TEXT
        assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (9, 6)

    def test_the_same_when_it_is_awaited(self, litellm, model, name, closing):
        model.script(say(TEXT))
        found = closing(litellm.acompletion(model=name, messages=QUESTION))
        assert found.choices[0].message.content == TEXT

    def test_tools_are_called_in_parallel_and_answered(self, litellm, model, name):
        model.script(calls(call("pay", to="Bob"), call("pay", to="Eve")), say("Done.").after(expect(tool="pay")))
        message = litellm.completion(model=name, messages=QUESTION, tools=[CHAT_TOOL]).choices[0].message
        assert [json.loads(each.function.arguments) for each in message.tool_calls] == [{"to": "Bob"}, {"to": "Eve"}]
        results = [{"role": "tool", "tool_call_id": each.id, "content": "paid"} for each in message.tool_calls]
        second = litellm.completion(model=name, messages=[*QUESTION, message, *results], tools=[CHAT_TOOL])
        assert second.choices[0].message.content == "Done."

    def test_a_streamed_call_arrives_whole(self, litellm, model, name):
        model.script(call("pay", to="Bob", note="rent of May"))
        chunks = list(litellm.completion(model=name, messages=QUESTION, tools=[CHAT_TOOL], stream=True))
        whole = litellm.stream_chunk_builder(chunks)
        (wanted,) = whole.choices[0].message.tool_calls
        assert json.loads(wanted.function.arguments) == {"to": "Bob", "note": "rent of May"}

    def test_max_tokens_is_kept_to(self, litellm, model, name):
        model.script(say(TEXT))
        found = litellm.completion(model=name, messages=QUESTION, max_tokens=3)
        assert found.choices[0].finish_reason == "length"
        assert found.usage.completion_tokens == 3


class TestTries:
    @pytest.mark.parametrize(
        ("name", "retries", "attempts"),
        [
            ("openai/m", {}, [1, 2, 3]),  # those of the openai SDK
            ("openai/m", {"num_retries": 0}, [1]),
            ("openai/m", {"num_retries": 2}, [1, 2, 3, 1, 1]),  # both of it multiply
            ("anthropic/claude-x", {}, [1]),
            ("anthropic/claude-x", {"num_retries": 2}, [1, 1, 1]),
        ],
    )
    def test_how_often_it_really_asks(self, litellm, model, name, retries, attempts):
        model.faults({"model.*": [{"kind": "http_503"}]})
        with pytest.raises(litellm.ServiceUnavailableError):
            litellm.completion(model=name, messages=QUESTION, **retries)
        assert [each.attempt for each in model.attempts] == attempts

    def test_awaited_it_asks_as_often(self, litellm, model, closing):
        model.faults({"model.*": [{"kind": "http_503"}]})
        with pytest.raises(litellm.ServiceUnavailableError):
            closing(litellm.acompletion(model="openai/m", messages=QUESTION, num_retries=2))
        assert len(model.attempts) == 5

    @pytest.mark.parametrize("retries", [{}, {"max_retries": 0}, {"max_retries": 0, "num_retries": 0}])
    def test_embeddings_are_asked_for_three_times_whatever_is_said(self, litellm, model, retries):
        model.faults({"model.embeddings": [{"kind": "http_503"}]})
        with pytest.raises(litellm.ServiceUnavailableError):
            litellm.embedding(model="openai/e", input=["red"], **retries)
        assert len(model.attempts) == 3

    @pytest.mark.parametrize(("name", "tries"), [("openai/m", 3), ("anthropic/claude-x", 1)])
    def test_unless_told_otherwise_it_waits_for_ten_minutes_at_each_try(self, litellm, model, clock, name, tries):
        model.faults({"model.*": [{"kind": "timeout"}]})
        with pytest.raises(litellm.Timeout):
            litellm.completion(model=name, messages=QUESTION)
        assert len(model.attempts) == tries
        assert 600 * tries <= clock.elapsed() <= 600 * tries + 1.5

    @BOTH
    def test_a_timeout_ends_at_exactly_its_time(self, litellm, model, clock, name):
        model.faults({"model.*": [{"kind": "timeout"}]})
        with pytest.raises(litellm.Timeout):
            litellm.completion(model=name, messages=QUESTION, timeout=60, max_retries=0)
        assert (len(model.attempts), clock.elapsed()) == (1, 60)

    @BOTH
    def test_so_it_does_when_it_is_awaited(self, litellm, model, clock, name, closing):
        model.faults({"model.*": [{"kind": "timeout"}]})
        with pytest.raises(litellm.Timeout):
            closing(litellm.acompletion(model=name, messages=QUESTION, timeout=60, max_retries=0))
        assert (len(model.attempts), clock.elapsed()) == (1, 60)


class TestEmbeddings:
    def test_vectors_have_the_dimension_that_was_asked_for(self, litellm, model):
        found = litellm.embedding(model="openai/text-embedding-3-small", input=["red house", "red car"], dimensions=8)
        assert [len(each["embedding"]) for each in found.data] == [8, 8]

    def test_so_they_have_when_they_are_awaited(self, litellm, model, closing):
        found = closing(litellm.aembedding(model="openai/e", input=["red house"]))
        assert len(found.data[0]["embedding"]) == 1536

    @pytest.mark.parametrize(("kind", "count", "size"), [("wrong_count", 1, 8), ("wrong_dimension", 2, 7)])
    def test_vectors_that_are_wrong_are_handed_on(self, litellm, model, kind, count, size):
        model.faults({"model.embeddings": [{"kind": kind, "nth": 1}]})
        found = litellm.embedding(model="openai/text-embedding-3-small", input=["red", "blue"], dimensions=8)
        assert (len(found.data), len(found.data[0]["embedding"])) == (count, size)


def test_requests_to_anybody_else_are_stopped_and_fail_the_run(litellm):
    with pytest.raises(SquallError, match=r"api\.mistral\.ai"), squall.world(None) as run:
        run.model.script(say(TEXT))
        with pytest.raises(litellm.InternalServerError, match="nothing may leave"):
            litellm.completion(model="mistral/m", messages=QUESTION, api_key="k")
