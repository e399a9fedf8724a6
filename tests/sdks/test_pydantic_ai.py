"""pydantic-ai, unmodified, over both providers and all three of their endpoints."""

from __future__ import annotations

import asyncio
import gc
import warnings

import pydantic
import pytest

from squall.models import call, calls, expect, say
from tests.sdks.ways import PROMPT

TEXT = "one two three four five six"
pytestmark = [pytest.mark.usefixtures("forgotten"), pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]


class Order(pydantic.BaseModel):
    """An order."""

    id: str
    amount: int


@pytest.fixture(scope="module")
def forgotten():
    """A client that nobody closes, and a loop that is gone, are pydantic-ai's own business."""
    yield
    with warnings.catch_warnings(action="ignore"):
        gc.collect()


@pytest.fixture(params=["openai-chat:m", "openai-responses:m", "anthropic:m"])
def agent(request, pydantic_ai):
    """Makes an agent by the name of its model, as people do."""

    def made(**more):
        return pydantic_ai.Agent(request.param, **more)

    return made


def test_an_answer_has_its_text_and_its_usage(agent, model):
    model.script(say(TEXT, usage={"input": 9, "output": 6}))
    found = agent().run_sync(PROMPT)
    assert found.output == TEXT
    assert (found.usage.input_tokens, found.usage.output_tokens) == (9, 6)


@pytest.mark.asyncio
async def test_the_same_in_an_async_test(agent, model):
    model.script(say(TEXT))
    assert (await agent().run(PROMPT)).output == TEXT


def test_a_stream_within_asyncio_run_comes_in_pieces(agent, model):
    model.script(say(TEXT))

    async def main():
        async with agent().run_stream(PROMPT) as result:
            return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]

    pieces = asyncio.run(main())
    assert "".join(pieces) == TEXT
    assert len(pieces) > 2


def test_a_sync_stream_comes_in_pieces_in_virtual_time(agent, model, clock):
    model.script(say(TEXT))
    model.faults({"model.*": [{"kind": "slow_chunks", "seconds": 30}]})
    pieces = list(agent().run_stream_sync(PROMPT).stream_text(delta=True, debounce_by=None))
    assert "".join(pieces) == TEXT
    assert len(pieces) > 2
    assert clock.elapsed() >= 30 * len(pieces)


@pytest.mark.parametrize("streamed", [False, True])
def test_tools_are_run_in_parallel_and_answered(agent, model, streamed):
    paid = []

    async def pay(to: str, note: str = "") -> str:
        """Pay somebody."""
        paid.append((to, note))
        return "paid"

    model.script(
        calls(call("pay", to="Bob", note="rent of May"), call("pay", to="Eve")),
        say("Both are paid.").after(expect(tool="pay")),
    )
    payer = agent(tools=[pay])

    async def stream():
        async with payer.run_stream(PROMPT) as result:
            return await result.get_output()

    output = asyncio.run(stream()) if streamed else payer.run_sync(PROMPT).output
    assert output == "Both are paid."
    assert sorted(paid) == [("Bob", "rent of May"), ("Eve", "")]
    assert [tool.name for tool in model.requests[0].tools] == ["pay"]


def test_an_answer_is_parsed_out_of_a_call_of_its_own_tool(agent, model):
    model.brain(lambda request: call(request.tools[0].name, id="o1", amount=5).reply)
    assert agent(output_type=Order).run_sync(PROMPT).output == Order(id="o1", amount=5)


def test_arguments_against_their_schema_are_told_to_the_model_and_never_run(agent, model):
    paid = []

    def pay(to: str, amount: int) -> str:
        """Pay somebody."""
        paid.append((to, amount))
        return "paid"

    model.brain(
        lambda request: "Done." if paid else call("pay", to="Bob", amount=5).reply,
    )
    model.faults({"model.*": [{"kind": "invalid_arguments", "nth": 1, "how": "missing"}]})
    assert agent(tools=[pay]).run_sync(PROMPT).output == "Done."
    assert paid == [("Bob", 5)]
    assert len(model.attempts) == 3


def test_a_tool_that_does_not_exist_is_told_to_the_model(agent, model):
    paid = []

    def pay(to: str) -> str:
        """Pay somebody."""
        paid.append(to)
        return "paid"

    model.brain(lambda request: "Done." if paid else call("pay", to="Bob").reply)
    model.faults({"model.*": [{"kind": "unknown_tool", "nth": 1}]})
    assert agent(tools=[pay]).run_sync(PROMPT).output == "Done."
    assert (paid, len(model.attempts)) == (["Bob"], 3)


def test_refused_requests_are_tried_again_and_counted(agent, model, clock):
    model.script(say(TEXT))
    model.faults({"model.*": [{"kind": "http_503", "first": 2, "retry_after": 3}]})
    assert agent().run_sync(PROMPT).output == TEXT
    assert [each.attempt for each in model.attempts] == [1, 2, 3]
    assert clock.elapsed() == 6


def test_a_timeout_of_its_settings_is_for_each_of_three_tries(agent, pydantic_ai, model, clock):
    model.faults({"model.*": [{"kind": "timeout"}]})
    with pytest.raises(pydantic_ai.ModelAPIError):
        agent(model_settings={"timeout": 60}).run_sync(PROMPT)
    assert len(model.attempts) == 3
    assert 180 + 1.125 <= clock.elapsed() <= 180 + 1.5


@pytest.mark.asyncio
async def test_a_request_timeout_of_its_settings_is_for_all_of_them(agent, model, clock):
    model.faults({"model.*": [{"kind": "timeout"}]})
    with pytest.raises(Exception, match=r"request_timeout|timed out"):
        await agent(model_settings={"request_timeout": 45}).run(PROMPT)
    assert (len(model.attempts), clock.elapsed()) == (1, 45)
