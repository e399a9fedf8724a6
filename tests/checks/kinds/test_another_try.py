"""What comes after a bad end, for all checks: an agent that starts over, goes back, asks again; others beside it.

Each row is a bad end, by the check that is there for it. Where the same agent tries again and comes to a good end,
nothing is wrong. Where it does not, or the good end is another's, the check says so.
"""

from __future__ import annotations

import pytest

from squall.checks.kinds import BUILT_IN
from squall.checks.options import Options
from squall.checks.policy import Policy
from squall.checks.story import story_of

QUESTION = "Where is order 7, and is it paid?"
OPTIONS = Options(policy=Policy(require_complete=True))
TOOLS = ("get", "issue_refund")


def fired(run):
    return {check.name for check in BUILT_IN if check.run(run.trace, OPTIONS).fired}


def error(talk):
    talk.reply(None, keep=False, ok=False, error="APIStatusError: overloaded", complete=False, status=503)


def too_long(talk):
    said = "BadRequestError: maximum context length is 8192 tokens"
    talk.reply(None, keep=False, ok=False, error=said, complete=False, status=400)


def cut_stream(talk):
    talk.asked["stream"] = True
    talk.reply("It is on its w", keep=False, ok=False, status=200, complete=False, finish=None)
    talk.asked["stream"] = False


def at_the_limit(talk):
    talk.says("It is on its w", keep=False, finish="length")


def empty(talk):
    talk.says("", keep=False)


def filtered(talk):
    talk.reply("It i", keep=False, finish="content_filter")


def refused(talk):
    talk.says("No.", keep=False, finish="refusal")


def call(talk):
    talk.calls(("get", {"q": "8"}), keep=False)


def no_json(talk):
    talk.calls(("get", '{"q": "8'), keep=False)


def no_tool(talk):
    talk.calls(("git", {"q": "8"}), keep=False)


def announced(talk):
    talk.says("Let me check that.", keep=False)


def not_found(talk):
    talk.says("I could not find any information about the order.", keep=False)


def looked_in_vain(talk):
    for n in range(5):
        talk.uses("get", {"q": str(n)}, [])
    talk.says("", keep=False)


def failed_tool(talk):
    talk.uses("get", {"q": "7"}, "Error: the shop is down")
    at_the_limit(talk)


def failed_write(talk):
    talk.uses("issue_refund", {"q": "7"}, "Error: the bank is down")
    at_the_limit(talk)


def claimed(talk):
    talk.says("I have refunded your order. It will be w", keep=False, finish="length")


def orphan(talk):
    talk.calls(("get", {"q": "7"}), ("get", {"q": "8"})).results("shipped")
    error(talk)


ENDS = {
    error: "unrecovered_model_error",
    too_long: "context_overflow",
    cut_stream: "incomplete_stream",
    at_the_limit: "context_overflow",
    empty: "no_answer",
    filtered: "no_answer",
    refused: "no_answer",
    call: "no_answer",
    no_json: "bad_tool_call",
    no_tool: "bad_tool_call",
    announced: "announced_not_done",
    not_found: "abstention",
    looked_in_vain: "search_loop",
    failed_tool: "unrecovered_tool_error",
    failed_write: "hidden_write_error",
    claimed: "claimed_not_done",
    orphan: "orphan_call",
}
STANDS = {announced, not_found, orphan}
"""What does not go away by sending just the same again: complete answers in words, and calls that have no results."""


def begun(run, question=QUESTION):
    return run.talk(question, tools=TOOLS).uses("get", {"q": "6"}, "see order 7")


def goes_well(talk):
    talk.uses("get", {"q": "7"}, "shipped and paid").uses("issue_refund", {"q": "7"}, "refunded").says("It is shipped.")


def starts_over(run, end):
    """With the first words of the user, as a retry around the whole agent does."""
    talk = begun(run)
    end(talk)
    return begun(run)


def starts_over_at_once(run, end):
    """The same, and the bad end came with the first reply."""
    end(run.talk(QUESTION, tools=TOOLS))
    return run.talk(QUESTION, tools=TOOLS)


def goes_back(run, end):
    """To a place on the way, as an agent with checkpoints does: the request before the last is made again."""
    talk = begun(run)
    kept = [*talk.messages]
    talk.uses("get", {"q": "5"}, "see order 7")
    end(talk)
    talk.messages = kept
    return talk


def asks_the_same_again(run, end):
    """The request whose reply was bad."""
    talk = begun(run)
    kept = [*talk.messages]
    end(talk)
    talk.messages = kept
    return talk


WAYS = (starts_over, starts_over_at_once, goes_back, asks_the_same_again)
MENDED = [(end, way) for end in ENDS for way in WAYS if way is not asks_the_same_again or end not in STANDS]


@pytest.mark.parametrize(("end", "way"), MENDED, ids=lambda each: each.__name__)
def test_a_bad_end_that_another_try_makes_good_is_no_failure(run, end, way):
    goes_well(way(run, end))
    assert fired(run) == set()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_a_bad_end_that_another_try_comes_to_as_well_is_a_failure(run, end, way):
    end(way(run, end))
    assert ENDS[end] in fired(run)


@pytest.mark.parametrize("end", [end for end in ENDS if end is not claimed], ids=lambda end: end.__name__)
def test_a_bad_end_after_a_good_one_is_a_failure(run, end):
    goes_well(begun(run))
    end(begun(run))
    assert ENDS[end] in fired(run)


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_a_good_end_of_another_question_makes_nothing_good(run, end):
    end(begun(run))
    begun(run, "Where is order 8, and is it paid?").says("It is shipped.")
    assert ENDS[end] in fired(run)


BESIDE = [end for end in ENDS if end not in (error, too_long, cut_stream)]
"""A request that failed may be made good by another agent of the same question, however they run: see `Twins`."""


@pytest.mark.parametrize("end", BESIDE, ids=lambda end: end.__name__)
def test_a_good_end_of_an_agent_that_was_asked_the_same_at_the_same_time_makes_nothing_good(run, end):
    one, two = begun(run), begun(run)
    end(one)
    two.says("It is shipped.")
    assert ENDS[end] in fired(run)


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_agents_that_work_at_the_same_time_and_come_to_good_ends_are_no_failure(run, end):
    one, two = begun(run), begun(run)
    end(one)
    again = begun(run)
    two.says("It is shipped.")
    goes_well(again)
    assert fired(run) == set()


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_each_of_three_tries_is_judged_by_the_last(run, end):
    for _ in range(2):
        end(begun(run))
    goes_well(begun(run))
    assert [talk.again for talk in story_of(run.trace).conversations] == [2, 3, None]
    assert fired(run) == set()


@pytest.mark.parametrize("end", [error, cut_stream, at_the_limit, empty, call], ids=lambda end: end.__name__)
@pytest.mark.parametrize(("tries", "complete"), [(1, False), (2, True)])
def test_a_run_that_has_to_be_complete_is_judged_by_its_last_try(run, end, tries, complete):
    end(begun(run))
    if tries > 1:
        goes_well(begun(run))
    assert ("policy" not in fired(run)) is complete


@pytest.mark.parametrize(("again", "fires"), [("worked", False), ("left", True)])
def test_a_tool_that_works_in_a_later_try_makes_good_an_answer_that_was_silent_about_it(run, again, fires):
    begun(run).uses("issue_refund", {"q": "7"}, "Error: the bank is down").says("It is shipped.")
    talk = begun(run)
    if again == "worked":
        talk.uses("issue_refund", {"q": "7"}, "refunded")
    talk.says("It is shipped.")
    assert ({"unrecovered_tool_error", "hidden_write_error"} <= fired(run)) is fires


def test_an_agent_whose_tool_raised_through_it_and_that_starts_over_is_no_failure(run):
    talk = begun(run).calls(("issue_refund", {"q": "7"}))
    run.hook("issue_refund", {"q": "7"}, error="ConnectionError: reset", form="exception", access="write")
    assert "no_answer" in fired(run)
    goes_well(begun(run))
    assert fired(run) == set()
    assert talk


def test_a_write_that_took_effect_twice_in_one_try_is_still_found(run):
    for _ in range(2):
        talk = begun(run)
        for _ in range(2):
            talk.calls(("issue_refund", {"q": "7"}))
            run.hook("issue_refund", {"q": "7"}, "refunded", access="write")
            talk.results("refunded")
        error(talk)
    goes_well(begun(run))
    assert fired(run) == {"duplicate_side_effect"}


def test_a_call_that_comes_again_without_end_is_found_in_a_try_that_was_given_up(run):
    talk = begun(run)
    for _ in range(3):
        talk.uses("get", {"q": "7"}, "come later")
    error(talk)
    goes_well(begun(run))
    assert fired(run) == {"repeated_tool_call"}
