"""Rules: the first that matches decides."""

from __future__ import annotations

from typing import Any

import pytest

from squall import models
from squall.call import Message
from squall.errors import UsageError
from squall.models import NoMatch, Rules, call, expect, rule, say

UNTYPED: Any = models
"""As those use it who know no types."""
PAID = rule(tool="issue_refund", then=say("Refunded."))
REFUND = rule(user="refund", offers="issue_refund", then=call("issue_refund", order="o1"))


def test_the_first_rule_whose_conditions_hold_answers(asked, done):
    rules = Rules(PAID, REFUND, rule(then=say("What can I do for you?")))
    first = asked("A refund, please", offers=["issue_refund"])
    assert rules.answer(first) == REFUND.then.reply
    assert rules.answer(asked("A refund, please")).text == "What can I do for you?"
    assert rules.answer(asked(*first.messages, *done(REFUND.then), offers=["issue_refund"])).text == "Refunded."


@pytest.mark.parametrize(
    ("conditions", "other"),
    [
        ({"user": "Hello"}, {"user": "Bye"}),
        ({"system": "kind"}, {"system": "rude"}),
        ({"result_has": "42"}, {"result_has": "43"}),
        ({"turn": 2}, {"turn": 1}),
        ({"offers": "get"}, {"offers": "put"}),
        ({"model": "gpt-5"}, {"model": "gpt-4"}),
        ({"headers": {"x-a": "b"}}, {"headers": {"x-a": "c"}}),
    ],
)
def test_a_rule_may_look_at_each_part_of_a_request(asked, done, conditions, other):
    rules = Rules(rule(**other, then=say("no")), rule(**conditions, then=say("yes")))
    messages = (("system", "Be kind"), "Hello", *done(call("get"), "42"))
    assert rules.answer(asked(*messages, offers=["get"], headers={"x-a": "b"})).text == "yes"


def test_when_none_matches_the_nearest_is_told_and_why_it_does_not(asked):
    rules = Rules(PAID, REFUND, rule(user="cancel", turn=2, then=say("Cancelled.")))
    with pytest.raises(NoMatch) as caught:
        rules.answer(asked("A refund, please", offers=["issue_refunds"]))
    assert str(caught.value) == (
        "no rule matches this request: rule 2 of 3, user 'refund', offers issue_refund: call issue_refund "
        '{"order":"o1"}, is nearest, but the tool issue_refund is not offered, but issue_refunds; '
        "did you mean 'issue_refunds'?"
    )


def test_a_sentinel_in_the_messages_is_no_match(asked):
    with pytest.raises(NoMatch, match="the sentinel '4111' stands in"):
        Rules(rule(then=say("Hi")), sentinels=["4111"]).answer(asked("4111"))


def test_rules_that_answered_nothing_are_told(asked):
    rules = Rules(PAID, rule(then=say("Hi")))
    rules.answer(asked("a"))
    assert rules.unused() == ["rule 1 of 2, tool issue_refund: say 'Refunded.', was never used"]


def test_an_equal_request_gets_an_equal_answer_whatever_came_between(asked):
    rules = Rules(rule(turn=1, then=say("Hi")), rule(then=say("Again")))
    assert [rules.answer(asked(*each)).text for each in (["a"], ["a", Message("assistant", "Hi")], ["a"])] == [
        "Hi",
        "Again",
        "Hi",
    ]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (Rules, "there are no rules\n    Write rule(user='text', then=say('text')), for example."),
        (
            lambda: UNTYPED.Rules(PAID, say("x")),
            "rule 2 is Turn(...\n    Write rule(user='text', then=say('text')), for example.",
        ),
        (
            lambda: Rules(rule(then=say("x")), PAID, REFUND),
            (
                "rule 2 can never match: rule 1 before it answers everything\n    Move it up, or take it out.\n"
                "rule 3 can never match: rule 1 before it answers everything\n    Move it up, or take it out."
            ),
        ),
        (
            lambda: Rules(PAID, REFUND, PAID),
            "rule 3 can never match: rule 1 before it has the same conditions\n    Move it up, or take it out.",
        ),
        (lambda: UNTYPED.rule(then="x"), "rule(then='x'): this is no turn\n    Write then=say('text'), for example."),
        (
            lambda: rule(then=say("x").after(expect(turn=1))),
            "rule(then=say 'x'): its turn has expectations of its own\n    Give them to rule(…).",
        ),
        (
            lambda: UNTYPED.rule(usr="x", then=say("x")),
            "rule() knows no condition 'usr'; did you mean 'user'?\n    Conditions: ...",
        ),
    ],
)
def test_what_is_no_rule_is_refused(make, text):
    with pytest.raises(UsageError) as caught:
        make()
    begins, _, ends = text.partition("...")
    assert str(caught.value).startswith(begins)
    assert str(caught.value).endswith(ends)
