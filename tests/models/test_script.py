"""Scripts: turns in order, for any number of conversations at once."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from squall.call import Message
from squall.errors import UsageError
from squall.models import NoMatch, Script, call, calls, expect, refuse, say

GET, TELL, MORE = call("get_order", id="o1"), say("It is on its way."), say("Bye.")
SHIPPED = expect(tool="get_order", result_has="shipped")


def no_match(script, request):
    with pytest.raises(NoMatch) as caught:
        script.answer(request)
    return caught.value


def test_turns_come_in_order_as_the_conversation_grows(asked, done):
    script = Script(GET, SHIPPED, TELL, MORE)
    history = [Message("user", "Where is it?")]
    for turn, result in ((GET, "shipped"), (TELL, ""), (MORE, "")):
        assert script.answer(asked(*history)) == turn.reply
        history += [*done(turn, result), *(() if turn.reply.calls else [Message("user", "And now?")])]


def test_a_retry_gets_the_same_answer_and_so_does_an_earlier_history(asked, done):
    script = Script(GET, TELL)
    after = asked("Where is it?", *done(GET))
    assert [script.answer(each) for each in (after, after, asked("Where is it?"))] == [
        TELL.reply,
        TELL.reply,
        GET.reply,
    ]


def test_conversations_side_by_side_do_not_disturb_each_other(asked, done):
    script = Script(GET, call("ship", id="o1"), TELL)

    async def agent(name):
        history, heard = [Message("user", name)], []
        for _ in range(3):
            reply = script.answer(asked(*history))
            heard.append(reply)
            await asyncio.sleep(0)
            history += done(script.turns[len(heard) - 1])
        return heard

    async def together():
        return await asyncio.gather(*map(agent, "abcde"))

    assert asyncio.run(together()) == [[turn.reply for turn in script.turns]] * 5


def test_a_script_that_was_used_before_begins_anew(asked, done):
    script = Script(GET, TELL)
    script.answer(asked("a", *done(GET)))
    assert script.answer(asked("b")) == GET.reply


def test_an_expectation_that_is_not_met_says_which_and_what_came(asked, done):
    script = Script(GET, SHIPPED, TELL)
    error = no_match(script, asked("Where is it?", *done(GET, '{"status": "lost"}')))
    assert error.what == "the turn of the script that is due does not fit this request"
    assert error.nearest == (
        "turn 2 of 2, say 'It is on its way.', is due, but "
        "the result of get_order lacks 'shipped': '{\"status\": \"lost\"}'"
    )
    assert str(error) == f"{error.what}: {error.nearest}"


def test_expectations_before_a_turn_and_after_it_all_have_to_hold(asked):
    script = Script(expect(user="hi"), expect(turn=1), TELL.after(expect(model="gpt-4", user="ho")))
    assert no_match(script, asked("hi")).nearest == (
        "turn 1 of 1, say 'It is on its way.', is due, but the last user message lacks 'ho': 'hi'; "
        "the model is 'gpt-5', not 'gpt-4'"
    )
    fits = msgspec.structs.replace(asked("hi, ho"), model="gpt-4")
    assert script.answer(fits) == TELL.reply


@pytest.mark.parametrize(
    ("results", "why"),
    [
        (("shipped", "paid"), None),
        (("lost", "paid"), "the result of get_order lacks 'shipped'"),
        (('{"error": "no"}', "paid"), "the call of get_order was answered by an error"),
    ],
)
def test_of_parallel_calls_that_were_written_down_one_by_one_each_result_counts(asked, done, results, why):
    pay = call("pay", amount=5)
    script = Script(MORE, calls(GET, pay), SHIPPED, expect(tool="pay", results_ok=True), TELL)
    before = ["Good morning", *done(MORE), "Where is it?"]
    one_by_one = asked(*before, *done(GET, results[0]), *done(pay, results[1]))
    if why is None:
        assert script.answer(one_by_one) == TELL.reply
    else:
        assert why in no_match(script, one_by_one).nearest
    assert (
        "no result of get_order has come back" in no_match(script, asked(*before, *done(calls(pay, GET))[:2])).nearest
    )


def test_what_came_before_the_last_turn_does_not_count_whatever_turn_is_due(asked, done):
    script = Script(GET, TELL, SHIPPED, MORE)
    history = ["Where is it?", *done(GET, "shipped"), *done(TELL), "And now?"]
    assert "no result of get_order has come back" in no_match(script, asked(*history)).nearest
    strange = [*history[:3], *done(call("other"), "shipped")]  # no turn of the script
    assert script.answer(asked(*strange)) == TELL.reply


def test_the_first_turn_may_have_expectations_too(asked):
    script = Script(expect(user="order"), GET)
    assert script.answer(asked("My order?")) == GET.reply
    assert "lacks 'order': 'Hello'" in no_match(script, asked("Hello")).nearest


def test_after_the_last_turn_there_is_no_answer(asked, done):
    error = no_match(Script(GET, TELL), asked("a", *done(GET), *done(TELL), "b"))
    assert str(error) == (
        "no turn of the script is left for this request: "
        "the last one, turn 2 of 2, say 'It is on its way.', has been said already"
    )


def test_a_sentinel_anywhere_in_the_messages_is_no_match(asked, done):
    script = Script(GET, TELL, sentinels=["4111"])
    assert script.answer(asked("Where is it?")) == GET.reply
    assert no_match(script, asked("Where is it?", *done(GET, "paid by 4111"))).nearest == (
        "the sentinel '4111' stands in messages.2 (tool)"
    )


def test_turns_that_were_never_given_are_told(asked, done):
    script = Script(GET, SHIPPED, TELL, calls(call("a"), call("b")), refuse("No."))
    script.answer(asked("Where is it?"))
    no_match(script, asked("Where is it?", *done(GET, "lost")))
    assert script.unused() == [
        "turn 2 of 4, say 'It is on its way.', was never used",
        "turn 3 of 4, call a {} and call b {}, was never used",
        "turn 4 of 4, refuse 'No.', was never used",
    ]
    script.answer(asked("Where is it?", *done(GET, "shipped")))
    assert len(script.unused()) == 2


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((), "the script has no turns\n    Write say('text'), for example."),
        (("Hi",), "step 1 of the script is 'Hi', which is no turn\n    Write say('Hi')."),
        (
            (TELL, 5),
            (
                "step 2 of the script is 5, which is no turn\n"
                "    Write say(…), call(…), calls(…), refuse(…) or expect(…)."
            ),
        ),
        (
            (TELL, expect(user="a")),
            (
                "the script ends with expect(user 'a'), and no turn comes after that\n"
                "    Write the turn that it is for after it, or take it out."
            ),
        ),
    ],
)
def test_what_is_no_script_is_refused(steps, text):
    with pytest.raises(UsageError) as caught:
        Script(*steps)
    assert str(caught.value) == text
