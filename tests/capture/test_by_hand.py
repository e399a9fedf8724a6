"""`squall.record_model_call`: calls over raw HTTP, told by whoever makes them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import squall
from squall.trace.kinds import ModelCall, ModelReply

pytestmark = pytest.mark.usefixtures("alone")

QUESTION = [{"role": "user", "content": "Pay Bob."}]


def told(**given):
    with squall.run("r") as run:
        squall.record_model_call(**{"messages": QUESTION, "model": "m", **given})
    call, reply = (each.event for each in run.trace if isinstance(each.event, ModelCall | ModelReply))
    return call, reply


def test_outside_a_run_nothing_happens():
    squall.record_model_call(messages=QUESTION, response={"choices": []}, model="m")


def test_a_chat_completion():
    call, reply = told(
        response={"choices": [{"message": {"content": "Paid."}, "finish_reason": "stop"}]}, temperature=0
    )
    assert (call.target, call.model, call.messages, call.asked["temperature"]) == ("model.chat", "m", QUESTION, 0)
    assert (reply.ok, reply.text, reply.finish) == (True, "Paid.", "stop")


def test_a_message_of_anthropic():
    block = {"type": "tool_use", "id": "t1", "name": "pay", "input": {"to": "Bob"}}
    call, reply = told(response={"content": [block], "stop_reason": "tool_use"})
    assert call.target == "model.messages"
    assert reply.calls == [{"name": "pay", "arguments": '{"to":"Bob"}', "id": "t1"}]


def test_a_response_of_openai():
    item = {"type": "message", "content": [{"type": "output_text", "text": "Paid."}]}
    call, reply = told(response={"output": [item], "status": "completed"})
    assert (call.target, call.messages, reply.text) == ("model.responses", QUESTION, "Paid.")


def test_tools_that_nobody_tells_of_are_not_known():
    assert told(response="Paid.")[0].tools is None
    assert told(response="Paid.", tools=[])[0].tools == []


def test_text_alone():
    assert told(response="Paid.")[1].text == "Paid."


@pytest.mark.parametrize("given", [{"error": TimeoutError("late")}, {"response": TimeoutError("late")}])
def test_an_exception(given):
    _, reply = told(**given)
    assert (reply.ok, reply.error) == (False, "TimeoutError: late")


def test_plain_objects_with_a_providers_fields():
    message = SimpleNamespace(content="Paid.", tool_calls=None)
    response = SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")], usage=None)
    assert told(response=response)[1].text == "Paid."


def test_what_is_no_answer_is_told():
    with pytest.raises(squall.UsageError, match="was given the response 7"):
        told(response=7)
