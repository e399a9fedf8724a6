from __future__ import annotations

import httpx2

from squall.call import Message, ModelRequest, ToolOffer, ToolUse
from squall.runs.scenario.task import Step
from squall.runs.strategies.step_model import DONE, StepModel
from tests.runs.strategies.scenarios import TWO, fault

STEPS = [Step(0, "pay", {"usage": 5}), Step(1, "ship", {})]


def request(results, *offers):
    messages = [Message("user", "Go.")]
    for number in range(results):
        messages += [Message("assistant", calls=(ToolUse("pay", id=f"c{number}"),)), Message("tool", "1")]
    return ModelRequest("chat", "m", messages=tuple(messages), tools=tuple(ToolOffer(each) for each in offers))


def calls(turn):
    return [(use.name, use.arguments) for use in turn.reply.calls]


def test_it_asks_for_each_step_and_then_says_that_it_is_done():
    model = StepModel(iter(STEPS))
    assert calls(model(request(0))) == [("pay", '{"usage":5}')]
    assert calls(model(request(1))) == [("ship", "{}")]
    assert model(request(2)).reply.text == DONE
    assert model(request(7)).reply.text == DONE


def test_a_request_that_is_sent_again_gets_the_same_answer():
    model = StepModel(iter(STEPS))
    assert [calls(model(request(number)))[0][0] for number in (0, 0, 1, 0, 1)] == ["pay", "pay", "ship", "pay", "ship"]


def test_it_uses_the_name_that_the_agent_offers():
    assert calls(StepModel(iter(STEPS))(request(0, "mcp__tools__ship", "mcp__tools__pay")))[0][0] == "mcp__tools__pay"
    assert calls(StepModel(iter(STEPS))(request(0, "prepay", "pay")))[0][0] == "pay"
    assert calls(StepModel(iter(STEPS))(request(0, "prepay")))[0][0] == "pay"


def test_a_scenario_of_steps_has_such_a_model(doing):
    async def asked(_task, env):
        messages = [{"role": "user", "content": env.text}]
        said = []
        async with httpx2.AsyncClient(base_url=env.openai_base_url, headers={"authorization": "Bearer sk"}) as client:
            for _ in range(4):
                body = {"model": "gpt-5", "messages": messages, "tools": env.tool_list()}
                message = (await client.post("/chat/completions", json=body)).json()["choices"][0]["message"]
                messages.append(message)
                said.append(message["content"] or message["tool_calls"][0]["function"]["name"])
                asked_for = [call["id"] for call in message.get("tool_calls") or ()]
                messages += [{"role": "tool", "tool_call_id": each, "content": "ok"} for each in asked_for]
                if message["content"]:
                    break
        return said

    assert doing(TWO, asked) == ["issue_refund", "get_order", DONE]
    again = doing(TWO + fault(kind="repeated_call", step=0), asked)
    assert again == ["issue_refund", "issue_refund", "get_order", DONE]
