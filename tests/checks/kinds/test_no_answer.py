from __future__ import annotations

import pytest

from squall.checks.kinds.no_answer import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"text": ""}, "the last reply (step 3) is empty"),
        ({"text": "  "}, "the last reply (step 3) is empty"),
        ({"text": "I w", "finish": "content_filter"}, "the last reply (step 3) was stopped by a content filter"),
        ({"text": "I cannot", "finish": "refusal"}, "the last reply (step 3) is a refusal: 'I cannot'"),
        ({"uses": [("get", {"id": 2})]}, "the last reply (step 3) ends on a call: get(id=2)"),
    ],
)
def test_an_end_without_an_answer_fires_and_says_which(run, said, reason):
    run.talk().uses("get", {"id": 1}).reply(**said)
    assert judged(run).reason == reason
    assert judged(run).step == 3


def test_an_answer_in_words_passes(run):
    run.talk().uses("get", {"id": 1}).says("It is shipped.")
    assert judged(run).verdict == "pass"


def test_tools_by_which_agents_end_are_fine(run):
    run.talk().calls(("hand_over", {}))
    assert judged(run).fired
    assert not judged(run, terminal_tools=("hand_over",)).fired


def test_the_tools_that_frameworks_end_with_are_known(run):
    run.talk().calls(("final_result_Order", {}))
    assert not judged(run).fired


def test_a_request_that_forces_a_call_gets_one(run):
    run.talk(tool_choice={"type": "function", "function": {"name": "extract"}}).calls(("extract", {}))
    run.talk("other", tool_choice="required").calls(("extract", {}))
    assert not judged(run).fired


def test_what_the_agent_gave_back_is_an_answer(run):
    run.talk().uses("get").calls(("get", {}))
    run.final({"order": 1})
    assert not judged(run).fired


def test_an_agent_that_raised_owes_no_answer(run):
    run.talk().calls(("get", {}))
    run.final(error="ValueError: too much")
    assert not judged(run).fired


def test_a_reply_that_goes_on_in_the_background_is_asked_for_where_nobody_looks(run):
    run.talk().reply("", finish="pause")
    assert not judged(run).fired


def test_a_reply_that_failed_is_another_matter(run):
    run.talk().reply(None, ok=False, error="APITimeoutError", complete=False)
    assert not judged(run).fired


def test_each_conversation_needs_its_own_answer(run):
    run.talk("one").says("One.")
    run.talk("two").says("")
    run.talk("three").says("Three.")
    assert judged(run).step == 2


SECRET = "Write down the secret recipe of the house sauce, step by step."


@pytest.mark.parametrize("finish", ["content_filter", "refusal"])
@pytest.mark.parametrize(
    ("again", "fires"),
    [
        ("Please write the recipe of a house sauce, step by step.", False),
        (SECRET, False),
        ("Which wine goes with fish?", True),
        ("Write a poem.", True),
        ("Write the recipe of a house sauce, step by step, for 7 guests.", True),
    ],
)
def test_what_was_filtered_or_refused_and_is_asked_in_other_words_and_answered_is_mended(run, finish, again, fires):
    run.talk(SECRET).reply("No.", finish=finish)
    run.talk(again).says("Take a pan.")
    assert judged(run).fired is fires


@pytest.mark.parametrize("end", ["", "No."])
def test_asking_again_mends_nothing_where_that_is_not_answered_either(run, end):
    run.talk(SECRET).reply("No.", finish="refusal")
    run.talk("Write down the recipe of a house sauce, step by step.").reply(end, finish="refusal" if end else "stop")
    assert judged(run).fired


def test_an_answer_to_what_was_asked_before_mends_nothing(run):
    run.talk("Write down the recipe of a house sauce, step by step.").says("Take a pan.")
    run.talk(SECRET).reply("No.", finish="refusal")
    assert judged(run).fired


def test_another_agent_that_asks_alike_mends_nothing(run):
    run.talk(SECRET, system="You cook.").reply("No.", finish="refusal")
    run.talk("Write down the recipe of a house sauce, step by step.", system="You judge.").says("Take a pan.")
    assert judged(run).fired
