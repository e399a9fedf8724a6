"""Which conversation is another try of which."""

from __future__ import annotations

import pytest

from squall.checks.story import story_of

QUESTION = "Where is order 7, and is it paid?"


def again(run):
    return [talk.again for talk in story_of(run.trace).conversations]


def test_what_is_asked_again_after_its_end_is_another_try(run):
    for _ in range(3):
        run.talk(QUESTION).uses("get").says("")
    assert again(run) == [2, 3, None]


def test_another_system_prompt_makes_it_no_other_question(run):
    for system in ("You are quick.", "You are thorough."):
        run.talk(QUESTION, system=system).says("")
    assert again(run) == [2, None]


def test_words_too_short_to_tell_a_question_count_with_the_system_prompt(run):
    for system in ("Refund order 7.", "Refund order 8.", "Refund order 7."):
        run.talk("Begin.", system=system).uses("get").says("")
    assert again(run) == [3, None, None]


@pytest.mark.parametrize("replied", [True, False])
def test_what_begins_before_the_other_has_ended_is_another_agent(run, replied):
    one, two = run.talk(QUESTION), run.talk(QUESTION)
    number = one.ask()
    two.says("")
    if replied:
        one.reply("", call=number)
    assert again(run) == [None, None]


def test_a_conversation_that_took_another_way_is_no_try_of_it(run):
    for question in ("And order 8?", "And order 9?", "And order 8?"):
        run.talk(QUESTION).says("It is shipped.").user(question).says("")
    assert again(run) == [3, None, None]


def test_one_that_asks_only_the_first_of_two_questions_begins_the_same_way(run):
    run.talk(QUESTION).says("It is shipped.").user("And order 8?").says("")
    run.talk(QUESTION).says("It is shipped.")
    assert again(run) == [2, None]


@pytest.mark.parametrize(("asked", "found"), [("And order 8?", [2, None]), ("And order 9?", [None, None])])
def test_a_fork_is_another_try_where_the_same_is_asked(run, asked, found):
    talk = run.talk(QUESTION).says("It is shipped.")
    kept = [*talk.messages]
    talk.user("And order 8?").uses("get").says("")
    talk.messages = kept
    talk.user(asked).says("It is lost.")
    assert again(run) == found


def test_what_a_framework_says_in_the_users_name_is_no_question(run):
    for nudge in ("Go on.", "Please answer now."):
        run.talk(QUESTION).uses("get").user(nudge).says("")
    assert again(run) == [2, None]


def test_calls_of_tools_alone_are_no_try_of_anything(run):
    run.hook("get")
    assert again(run) == [None]


@pytest.mark.parametrize(
    ("said", "given_up"),
    [
        ({"text": "It is shipped."}, False),
        ({"text": ""}, True),
        ({"text": "It is", "finish": "length"}, True),
        ({"text": "It is", "finish": "content_filter"}, True),
        ({"text": None, "ok": False, "error": "APIStatusError", "complete": False}, True),
        ({"text": "It is", "ok": False, "complete": False, "finish": None}, True),
        ({"text": None, "uses": ["get"]}, True),
    ],
)
def test_a_try_is_given_up_where_it_came_to_no_answer_and_another_one_follows(run, said, given_up):
    run.talk(QUESTION).uses("get").reply(**said)
    assert not story_of(run.trace).conversations[0].given_up
    run.talk(QUESTION).says("It is shipped.")
    assert [talk.given_up for talk in story_of(run.trace).conversations] == [given_up, False]
