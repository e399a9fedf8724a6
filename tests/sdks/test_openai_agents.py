"""openai-agents, unmodified, over responses (its default) and over chat completions."""

from __future__ import annotations

import asyncio
import logging

import pydantic
import pytest

from squall.models import call, calls, expect, say
from tests.sdks.ways import PROMPT

TEXT = "one two three four five six"


class Order(pydantic.BaseModel):
    """An order."""

    id: str
    amount: int


@pytest.fixture(params=["OpenAIResponsesModel", "OpenAIChatCompletionsModel"])
def ask(request, agents, openai):
    """Runs an agent in a loop of its own, with a client that is closed in it."""

    def run(*, streamed=False, settings=None, **more):
        async def main():
            async with openai.AsyncOpenAI(**(settings or {})) as client:
                model = getattr(agents, request.param)("m", openai_client=client)
                agent = agents.Agent("payer", model=model, **more)
                if not streamed:
                    return await agents.Runner.run(agent, PROMPT)
                result = agents.Runner.run_streamed(agent, PROMPT)
                result.pieces = [
                    event.data.delta
                    async for event in result.stream_events()
                    if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
                ]
                return result

        return asyncio.run(main())

    return run


def test_an_answer_has_its_text_and_its_usage(ask, model):
    model.script(say(TEXT, usage={"input": 9, "output": 6}))
    found = ask()
    assert found.final_output == TEXT
    assert found.context_wrapper.usage.total_tokens == 15


def test_a_stream_comes_in_pieces(ask, model):
    model.script(say(TEXT))
    found = ask(streamed=True)
    assert "".join(found.pieces) == found.final_output == TEXT
    assert len(found.pieces) > 2


def test_a_sync_run_works_with_its_tools_in_virtual_time(agents, model, clock):
    @agents.function_tool
    def pay(to: str) -> str:
        """Pay somebody."""
        return "paid"

    model.script(call("pay", to="Bob"), expect(tool="pay", result_has="paid"), say("Done."))
    model.faults({"model.*": [{"kind": "http_503", "first": 1, "retry_after": "20s"}]})
    assert agents.Runner.run_sync(agents.Agent("payer", tools=[pay]), PROMPT).final_output == "Done."
    assert [each.attempt for each in model.attempts] == [1, 2, 1]
    assert clock.elapsed() == pytest.approx(20)


@pytest.mark.parametrize("streamed", [False, True])
def test_tools_are_run_in_parallel_and_answered(ask, agents, model, streamed):
    paid = []

    @agents.function_tool
    def pay(to: str, note: str = "") -> str:
        """Pay somebody."""
        paid.append((to, note))
        return "paid"

    model.script(
        calls(call("pay", to="Bob", note="rent of May"), call("pay", to="Eve")),
        say("Both are paid.").after(expect(tool="pay")),
    )
    assert ask(tools=[pay], streamed=streamed).final_output == "Both are paid."
    assert sorted(paid) == [("Bob", "rent of May"), ("Eve", "")]


def test_an_answer_is_parsed_into_a_model_of_pydantic(ask, model):
    model.script(say('{"id":"o1","amount":5}'))
    assert ask(output_type=Order).final_output == Order(id="o1", amount=5)
    assert model.requests[0].schema is not None


def test_a_tool_that_does_not_exist_ends_the_run(ask, agents, model):
    @agents.function_tool
    def pay(to: str) -> str:
        """Pay somebody."""
        return "paid"

    model.script(call("pay", to="Bob"))
    model.faults({"model.*": [{"kind": "unknown_tool", "nth": 1}]})
    with pytest.raises(agents.ModelBehaviorError, match="not found"):
        ask(tools=[pay])


def test_refused_requests_are_tried_again_and_counted(ask, model, clock):
    model.script(say(TEXT))
    model.faults({"model.*": [{"kind": "http_503", "first": 2, "retry_after": 3}]})
    assert ask().final_output == TEXT
    assert [each.attempt for each in model.attempts] == [1, 2, 3]
    assert clock.elapsed() == 6


def test_a_timeout_ends_at_exactly_its_time(ask, openai, model, clock):
    model.faults({"model.*": [{"kind": "timeout"}]})
    with pytest.raises(openai.APITimeoutError):
        ask(settings={"timeout": 60, "max_retries": 0})
    assert clock.elapsed() == 60


@pytest.mark.asyncio
async def test_its_own_client_finds_the_provider_and_traces_are_sent_to_nobody(agents, model, clock, caplog):
    model.script(say(TEXT))
    with caplog.at_level(logging.INFO, logger="openai.agents"):
        result = await agents.Runner.run(agents.Agent("payer"), PROMPT)
    assert result.final_output == TEXT
    assert [request.endpoint for request in model.requests] == ["responses"]
    assert "racing client error" not in caplog.text
    assert clock.elapsed() == 0
