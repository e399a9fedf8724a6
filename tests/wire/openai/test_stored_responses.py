"""Responses are found again unless they were not to be kept; those in the background get ready, or are cancelled."""

from __future__ import annotations

import json

import pytest
from openai.types.responses import Response, ResponseItem
from pydantic import TypeAdapter

from squall.call import BadRequest, Reply, ToolUse
from squall.wire.dialect import Stamp
from squall.wire.openai import stored_responses
from squall.wire.openai.responses import Responses


@pytest.fixture
def responses():
    return Responses()


def answered(responses, name="a", reply=None, **fields):
    request = responses.read({"model": "gpt-x", "input": "Hello", **fields}, {})
    stamp = Stamp(1, lambda prefix, place=0: f"{prefix}{name}{place}")
    write = responses.frames if request.stream else responses.whole
    body = write(request, reply or Reply("Hi"), stamp)
    return "resp_a0" if request.stream else body["id"]


def missing(function, *args):
    with pytest.raises(BadRequest) as caught:
        function(*args)
    return caught.value.status == 404


@pytest.mark.parametrize("stream", [False, True])
def test_a_response_is_found(responses, stream):
    name = answered(responses, stream=stream)
    assert TypeAdapter(Response).validate_python(responses.kept.retrieve(name)).output_text == "Hi"


def test_one_that_was_not_to_be_kept_is_not_there(responses):
    name = answered(responses, store=False)
    kept = responses.kept
    assert missing(kept.retrieve, name)
    assert missing(kept.cancel, name)
    assert missing(kept.delete, name)
    assert missing(kept.input_items, name, {})
    assert missing(kept.item, "msg_a0")


def test_a_deleted_one_is_gone_with_its_items(responses):
    name = answered(responses)
    assert responses.kept.item("msg_a0")["type"] == "message"
    assert responses.kept.delete(name)["deleted"]
    assert missing(responses.kept.retrieve, name)
    assert missing(responses.kept.item, "msg_a0")


def test_one_in_the_background_is_ready_when_asked_twice(responses):
    name = answered(responses, background=True)
    first, second, third = (responses.kept.retrieve(name) for _ in range(3))
    assert [each["status"] for each in (first, second, third)] == ["in_progress", "completed", "completed"]
    assert first["output"] == []
    assert "usage" not in first
    assert TypeAdapter(Response).validate_python(second).output_text == "Hi"


def test_it_is_queued_at_first(responses):
    request = responses.read({"model": "gpt-x", "input": "Hello", "background": True}, {})
    body = responses.whole(request, Reply("Hi"), Stamp(1, lambda prefix, place=0: prefix))
    assert TypeAdapter(Response).validate_python(body).status == "queued"


def events(responses, name, **query):
    return [json.loads(each.partition(b"data: ")[2]) for each in responses.kept.stream(name, query).events]


@pytest.mark.parametrize("stream", [False, True])
def test_its_events_can_be_had_again_from_any_on(responses, stream):
    name = answered(responses, stream=stream)
    all_of_them = events(responses, name)
    assert [each["sequence_number"] for each in all_of_them] == list(range(len(all_of_them)))
    assert all_of_them[0]["type"] == "response.created"
    assert all_of_them[-1]["response"] == json.loads(json.dumps(responses.kept.retrieve(name)))
    assert events(responses, name, starting_after="-1") == all_of_them
    assert events(responses, name, starting_after="3") == all_of_them[4:]
    assert events(responses, name, starting_after="999") == []


def test_one_in_the_background_is_ready_when_its_events_have_been_had(responses):
    name = answered(responses, background=True)
    assert [each["type"] for each in events(responses, name)][:2] == ["response.created", "response.queued"]
    assert responses.kept.retrieve(name)["status"] == "completed"


def test_what_has_no_events_is_refused(responses):
    name = answered(responses, background=True)
    responses.kept.cancel(name)
    for missed, query in ((name, {}), (answered(responses, "b"), {"starting_after": "x"})):
        with pytest.raises(BadRequest):
            responses.kept.stream(missed, query)
    assert missing(responses.kept.stream, "resp_none", {})


def test_it_can_be_cancelled_as_often_as_wanted(responses):
    name = answered(responses, background=True)
    assert [responses.kept.cancel(name)["status"] for _ in range(2)] == ["cancelled"] * 2
    assert responses.kept.retrieve(name)["status"] == "cancelled"


def test_cancelling_what_is_ready_leaves_it_so(responses):
    name = answered(responses, background=True, stream=True)
    assert responses.kept.cancel(name)["status"] == "completed"


def test_one_in_the_foreground_cannot_be_cancelled(responses):
    name = answered(responses)
    with pytest.raises(BadRequest) as caught:
        responses.kept.cancel(name)
    assert caught.value.status == 400


def test_its_input_is_listed_as_items_the_newest_first(responses):
    items = [
        {"role": "user", "content": "Pay"},
        {"role": "assistant", "content": "I will"},
        {"type": "function_call", "call_id": "c", "name": "pay", "arguments": "{}", "id": "fc_mine"},
        {"type": "function_call_output", "call_id": "c", "output": "paid"},
    ]
    name = answered(responses, input=items)
    page = responses.kept.input_items(name, {})
    found = TypeAdapter(list[ResponseItem]).validate_python(page["data"])
    assert [item.type for item in found] == ["function_call_output", "function_call", "message", "message"]
    assert found[1].id == "fc_mine"
    assert page["data"][3]["content"] == [{"type": "input_text", "text": "Pay"}]
    first = responses.kept.input_items(name, {"order": "asc", "limit": "1"})
    assert (first["has_more"], len(first["data"])) == (True, 1)


def test_a_text_is_listed_as_a_message_and_nothing_as_nothing(responses):
    [item] = responses.kept.input_items(answered(responses), {})["data"]
    assert item["content"] == [{"type": "input_text", "text": "Hello"}]
    assert responses.kept.input_items(answered(responses, input=None, conversation="c"), {})["data"] == []


def test_a_conversation_keeps_its_calls(responses):
    name = answered(responses, reply=Reply("So", calls=(ToolUse("pay"),)))
    said = responses.kept.messages(name)[-1]
    assert (said.role, said.text, [call.name for call in said.calls]) == ("assistant", "So", ["pay"])


def test_an_item_can_be_referred_to_again_and_again(responses):
    answered(responses)
    name = answered(responses, "b", input=[{"id": "msg_a0"}])
    assert responses.kept.input_items(name, {})["data"] == [responses.kept.item("msg_a0")]
    responses.kept.delete(name)
    assert answered(responses, "c", input=[{"id": "msg_a0"}])


def test_an_item_that_was_sent_again_outlives_the_response_that_sent_it(responses):
    answered(responses)
    name = answered(responses, "b", input=[responses.kept.item("msg_a0")])
    responses.kept.delete(name)
    assert responses.kept.item("msg_a0")


def test_an_answer_without_output_leaves_the_conversation_as_it_was(responses):
    name = answered(responses, reply=Reply())
    assert [message.role for message in responses.kept.messages(name)] == ["user"]


def test_the_oldest_goes_when_there_are_too_many():
    responses = Responses(stored_responses.Responses(most=2))
    names = [answered(responses, name) for name in "abc"]
    assert missing(responses.kept.retrieve, names[0])
    assert missing(responses.kept.item, "msg_a0")
    assert responses.kept.retrieve(names[1])
    assert responses.kept.retrieve(names[2])


def test_the_oldest_goes_when_they_weigh_too_much():
    responses = Responses()
    names = [answered(responses, name, input="x" * 40_000_000) for name in "ab"]
    assert missing(responses.kept.retrieve, names[0])
    assert missing(responses.kept.item, "msg_a0")
    assert responses.kept.retrieve(names[1])
