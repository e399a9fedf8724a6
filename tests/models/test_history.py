"""Strict history: conversations that the providers take, and those that they refuse."""

from __future__ import annotations

import pytest

from squall.call import BadRequest, Message, ModelRequest, ToolUse
from squall.models.history import check


def user(text="Pay Bob", **more):
    return ("user", {"text": text, **more})


def says(text="Gladly", **more):
    return ("assistant", {"text": text, **more})


def calls(*ids, **more):
    return ("assistant", {"calls": tuple(ToolUse("pay", "{}", one) for one in ids), "parts": 0, **more})


def result(answers, **more):
    return ("tool", {"answers": answers, "text": "done", **more})


def system(text="Be brief"):
    return ("system", {"text": text, "place": "system"})


def look(endpoint, *entries):
    messages = tuple(
        Message(role, **{"place": f"messages.{number}", **fields}) for number, (role, fields) in enumerate(entries)
    )
    check(ModelRequest(endpoint, "m", messages))


def refusal(endpoint, *entries):
    with pytest.raises(BadRequest) as refused:
        look(endpoint, *entries)
    assert refused.value.status == 400
    return refused.value


EVERYWHERE = pytest.mark.parametrize("endpoint", ["chat", "messages", "responses"])


def shaped(endpoint, *entries):
    """Calls of Anthropic's are blocks, which count as parts."""
    return [
        (role, {**fields, "parts": len(fields["calls"])} if endpoint == "messages" and "calls" in fields else fields)
        for role, fields in entries
    ]


TAKEN = {
    "a question": [user()],
    "a system prompt first": [system(), user(), says(), user()],
    "a call and its result": [user(), calls("a"), result("a")],
    "parallel calls answered in another order": [user(), calls("a", "b"), result("b"), result("a"), user()],
    "two rounds of calls": [user(), calls("a"), result("a"), calls("b"), result("b"), says(), user()],
    "an empty result": [user(), calls("a"), result("a", text="")],
}


@EVERYWHERE
@pytest.mark.parametrize("entries", TAKEN.values(), ids=TAKEN)
def test_a_conversation_that_holds_together_is_taken(endpoint, entries):
    look(endpoint, *shaped(endpoint, *entries))


BROKEN = {
    "a call without a result": ([user(), calls("a")], "a"),
    "one of two calls without a result": ([user(), calls("a", "b"), result("a")], "b"),
    "a call, then a question": ([user(), calls("a"), user()], "a"),
    "a result without a call": ([user(), result("z")], "z|'tool' has to answer"),
    "a result before its call": ([user(), result("a"), calls("a")], "a"),
    "a result of another id": ([user(), calls("a"), result("z")], "z"),
    "a result twice": ([user(), calls("a"), result("a"), result("a")], "a"),
    "an id used twice in one message": ([user(), calls("a", "a"), result("a"), result("a")], "a"),
    "an id used again later": ([user(), calls("a"), result("a"), user(), calls("a"), result("a")], "a"),
}


@EVERYWHERE
@pytest.mark.parametrize(("entries", "named"), BROKEN.values(), ids=BROKEN)
def test_a_broken_conversation_is_refused_and_the_id_is_named(endpoint, entries, named):
    problem = refusal(endpoint, *shaped(endpoint, *entries))
    assert any(one in problem.message for one in named.split("|"))
    assert problem.param.startswith("input" if endpoint == "responses" else "messages.")


IN_BETWEEN = [user(), calls("a"), user(), result("a")]
MUCH_LATER = [user(), calls("a"), result("a"), says(), user(), result("a")]


@pytest.mark.parametrize("endpoint", ["chat", "messages"])
@pytest.mark.parametrize("entries", [IN_BETWEEN, MUCH_LATER])
def test_results_come_right_after_their_calls(endpoint, entries):
    refusal(endpoint, *shaped(endpoint, *entries))


def test_outputs_of_responses_may_come_later():
    look("responses", *IN_BETWEEN)


def test_chat_names_the_place_in_its_own_way():
    assert refusal("chat", user(), result("z")).param == "messages.[1].role"
    assert refusal("chat", user(), calls("a"), user()).param == "messages.[2].role"
    assert refusal("chat", user(), calls("a"), result("z")).param == "messages.[2].tool_call_id"


def test_chat_takes_empty_text_but_no_empty_content():
    look("chat", user(""), says(""), user())
    look("chat", says(), user())
    for entry in (user(parts=0), says("", parts=0)):
        assert refusal("chat", entry).param == "messages.[0].content"
    assert refusal("chat", user(), calls("a"), result("a", parts=0)).param == "messages.[2].content"


def test_messages_begin_with_the_user():
    assert "first message" in refusal("messages", system(), says(), user()).message


def test_messages_in_a_row_of_one_role_are_one_turn():
    look("messages", user(), user(), says(), says(), user())
    look("messages", user(), *shaped("messages", calls("a"), calls("b")), result("b"), result("a"))
    look("messages", user(), *shaped("messages", calls("a")), says("Wait"), result("a"), user())


def test_messages_name_the_message_whose_calls_have_no_result():
    assert refusal("messages", user(), *shaped("messages", calls("a")), user()).param == "messages.1"


@pytest.mark.parametrize("entry", [user("", parts=0), user(" ", blank=True), says("", parts=0), says("", blank=True)])
def test_messages_take_no_empty_content_and_no_blank_text(entry):
    assert refusal("messages", user(), entry, user()).param == "messages.1"


def test_a_blank_system_prompt_and_a_blank_text_in_a_result_are_refused():
    assert refusal("messages", ("system", {"blank": True, "place": "system"}), user()).param == "system"
    assert refusal("messages", user(), *shaped("messages", calls("a")), result("a", blank=True)).param == "messages.2"


def test_a_last_message_of_the_assistant_may_be_empty_but_not_end_with_whitespace():
    look("messages", user(), says("", parts=0))
    look("messages", user(), says("The answer is ("))
    assert "whitespace" in refusal("messages", user(), says("The answer is ")).message


def test_a_result_may_be_empty():
    look("messages", user(), *shaped("messages", calls("a")), result("a", text="", parts=0))


def test_embeddings_have_no_history():
    check(ModelRequest("embeddings", "m", inputs=("text",)))
