"""langchain's models of OpenAI and Anthropic, unmodified."""

from __future__ import annotations

import asyncio
import math

import pydantic
import pytest

import squall
from squall.errors import SquallError
from squall.models import call, calls, expect, say
from tests.sdks.ways import CHAT_TOOL, PROMPT, forget_clients

TEXT = "one two three four five six"


class Order(pydantic.BaseModel):
    """An order."""

    id: str
    amount: int


@pytest.fixture(params=["ChatOpenAI", "ChatOpenAI over responses", "ChatAnthropic"])
def chat(request, langchain_openai, langchain_anthropic):
    """Makes a model with what is given beside its own defaults."""

    def made(**more):
        if request.param == "ChatAnthropic":
            return langchain_anthropic.ChatAnthropic(model="m", max_tokens=99, **more)
        return langchain_openai.ChatOpenAI(model="m", use_responses_api="responses" in request.param, **more)

    return made


def closed(chat, awaited):
    """The result of what is awaited of a model, whose client is closed in the same loop."""

    async def main():
        client = chat.root_async_client if hasattr(chat, "root_async_client") else chat._async_client
        async with client:
            return await awaited

    try:
        return asyncio.run(main())
    finally:
        forget_clients()


class TestModels:
    def test_an_answer_has_its_text_and_its_usage(self, chat, model):
        model.script(say(TEXT, usage={"input": 9, "output": 6}))
        found = chat().invoke(PROMPT)
        assert found.text == TEXT
        assert (found.usage_metadata["input_tokens"], found.usage_metadata["output_tokens"]) == (9, 6)

    def test_the_same_when_it_is_awaited(self, chat, model):
        model.script(say(TEXT))
        asked = chat()
        assert closed(asked, asked.ainvoke(PROMPT)).text == TEXT

    def test_a_stream_has_the_same_text_and_usage(self, chat, model):
        model.script(say(TEXT, usage={"input": 9, "output": 6}))
        chunks = list(chat(stream_usage=True).stream(PROMPT))
        whole = sum(chunks[1:], chunks[0])
        assert whole.text == TEXT
        assert len(chunks) > 4
        assert whole.usage_metadata["total_tokens"] == 15

    @pytest.mark.parametrize("streamed", [False, True])
    def test_tools_are_called_in_parallel_and_answered(self, chat, model, streamed):
        from langchain_core.messages import HumanMessage, ToolMessage

        model.script(
            calls(call("pay", to="Bob", note="rent of May"), call("pay", to="Eve")),
            say("Both are paid.").after(expect(tool="pay")),
        )
        payer = chat().bind_tools([CHAT_TOOL])
        if streamed:
            chunks = list(payer.stream(PROMPT))
            message = sum(chunks[1:], chunks[0])
        else:
            message = payer.invoke(PROMPT)
        assert [each["args"] for each in message.tool_calls] == [{"to": "Bob", "note": "rent of May"}, {"to": "Eve"}]
        results = [ToolMessage("paid", tool_call_id=each["id"]) for each in message.tool_calls]
        assert payer.invoke([HumanMessage(PROMPT), message, *results]).text == "Both are paid."

    def test_an_answer_is_parsed_into_a_model_of_pydantic(self, chat, model):
        model.script(say('{"id":"o1","amount":5}'))
        parser = chat().with_structured_output(Order, method="json_schema")
        assert parser.invoke(PROMPT) == Order(id="o1", amount=5)

    def test_refused_requests_are_tried_again_and_counted(self, chat, model):
        model.script(say(TEXT))
        model.faults({"model.*": [{"kind": "http_503", "first": 2}]})
        assert chat().invoke(PROMPT).text == TEXT
        assert [each.attempt for each in model.attempts] == [1, 2, 3]

    def test_a_timeout_ends_at_exactly_its_time(self, chat, model, clock):
        model.faults({"model.*": [{"kind": "timeout"}]})
        with pytest.raises(Exception, match="timed out"):
            chat(timeout=60, max_retries=0).invoke(PROMPT)
        assert clock.elapsed() == 60

    def test_unless_told_otherwise_it_has_no_deadline_at_all(self, chat, model, clock):
        model.script(say(TEXT))
        model.faults({"model.*": [{"kind": "latency", "seconds": 3000}]})
        assert chat().invoke(PROMPT).text == TEXT
        assert (len(model.attempts), clock.elapsed()) == (1, 3000)


def test_an_async_stream_of_pings_is_ended_by_chat_openai_and_not_by_chat_anthropic(
    langchain_openai, langchain_anthropic, model, clock
):
    model.brain(lambda _request: TEXT)
    model.faults({"model.*": [{"kind": "ping_only", "signs": 20}]})

    async def read(chat):
        return [each async for each in chat.astream(PROMPT)]

    asked = langchain_openai.ChatOpenAI(model="m")
    with pytest.raises(TimeoutError, match=r"No streaming chunk received for 120"):
        closed(asked, read(asked))
    assert clock.elapsed() == 120
    other = langchain_anthropic.ChatAnthropic(model="m", max_tokens=99)
    with pytest.raises(Exception, match="peer closed connection"):
        closed(other, read(other))
    assert clock.elapsed() == 120 + 600


class TestEmbeddings:
    @pytest.fixture
    def embeddings(self, langchain_openai, model):
        return langchain_openai.OpenAIEmbeddings(model="e", dimensions=4, check_embedding_ctx_length=False)

    def test_equal_texts_have_equal_vectors_of_the_dimension_asked_for(self, embeddings):
        first, second, third = embeddings.embed_documents(["red house", "red house", "blue sea"])
        assert first == second != third
        assert len(first) == 4
        assert math.hypot(*first) == pytest.approx(1)

    def test_unless_told_otherwise_it_first_fetches_an_encoding_from_elsewhere_and_is_stopped(
        self, langchain_openai, monkeypatch, tmp_path
    ):
        import tiktoken

        monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})  # litellm brings it along, where that was imported
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
        with pytest.raises(SquallError, match=r"openaipublic\.blob\.core\.windows\.net"), squall.world(None) as run:
            assert run.model.requests == []
            with pytest.raises(OSError, match="nothing may leave"):
                langchain_openai.OpenAIEmbeddings(model="e").embed_documents(["red house"])

    def test_tokens_in_place_of_texts_are_taken_too(self, openai, model):
        with openai.OpenAI() as client:
            found = client.embeddings.create(model="e", input=[[1171, 3838], [12481]], dimensions=4)
        assert [len(each.embedding) for each in found.data] == [4, 4]
        assert model.requests[0].inputs == ((1171, 3838), (12481,))

    def test_a_vector_too_few_is_handed_on(self, embeddings, model):
        model.faults({"model.embeddings": [{"kind": "wrong_count", "nth": 1}]})
        assert len(embeddings.embed_documents(["red house", "blue sea"])) == 1

    def test_a_number_too_few_is_handed_on(self, embeddings, model):
        model.faults({"model.embeddings": [{"kind": "wrong_dimension", "nth": 1}]})
        assert [len(each) for each in embeddings.embed_documents(["red house", "blue sea"])] == [3, 3]

    def test_vectors_in_another_order_are_handed_on_each_for_anothers_text(self, embeddings, model):
        first, second = embeddings.embed_documents(["red house", "blue sea"])
        model.faults({"model.embeddings": [{"kind": "wrong_order", "nth": 1}]})
        assert embeddings.embed_documents(["red house", "blue sea"]) == [second, first]

    def test_nan_is_handed_on(self, embeddings, model):
        model.faults({"model.embeddings": [{"kind": "nan", "nth": 1}]})
        found = embeddings.embed_documents(["red house", "blue sea"])
        assert [sum(map(math.isnan, each)) for each in found] == [1, 0]
