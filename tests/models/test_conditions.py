"""Conditions on a request: each with both outcomes, and what is said when it does not hold."""

from __future__ import annotations

import re

import pytest

from squall.call import Message, ToolUse
from squall.errors import UsageError
from squall.models import expect
from squall.models.conditions import ANY, Conditions, Wanted
from squall.models.seen import Seen

CALLS = Message("assistant", "Wait", (ToolUse("get", '{"id":"o1"}', "1"), ToolUse("pay", "{}", "2")))


def conversation(asked, *results, **changes):
    answers = [Message("tool", text, answers=str(n)) for n, text in enumerate(results, start=1)]
    rest = {"offers": ("get", "pay"), "headers": {"x-tenant": "Acme"}, **changes}
    return asked(("system", "Be kind."), "A refund please", CALLS, *answers, **rest)


GOOD = ('{"status": "shipped"}', "paid")


@pytest.mark.parametrize(
    ("met", "unmet", "why"),
    [
        ({"user": "REFUND"}, {"user": "return"}, "the last user message lacks 'return': 'A refund please'"),
        (
            {"user": ["refund", re.compile("please$")]},
            {"user": ["refund", re.compile("^please")]},
            "the last user message lacks /^please/: 'A refund please'",
        ),
        ({"user_lacks": "return"}, {"user_lacks": "refund"}, "the last user message has 'refund': 'A refund please'"),
        ({"says": ["o1", "shipped", "kind"]}, {"says": "lost"}, "no message has 'lost'"),
        (
            {"lacks": ["lost", "o2"]},
            {"lacks": ["lost", "o1"]},
            "messages.2 (assistant) has 'o1': '" + r"Wait\n{" + '"id":"o1"}' + r"\n{}" + "'",
        ),
        (
            {"lacks": re.compile("kind[.] A")},
            {"lacks": re.compile("(?s)kind.*refund")},
            "the messages together have /(?s)kind.*refund/",
        ),
        ({"system": "be kind"}, {"system": "be rude"}, "the system prompt lacks 'be rude': 'Be kind.'"),
        ({"model": "gpt-5"}, {"model": "gpt"}, "the model is 'gpt-5', not 'gpt'"),
        ({"model": re.compile("gpt")}, {"model": re.compile("^5")}, "the model is 'gpt-5', not /^5/"),
        ({"offers": "pay"}, {"offers": "payy"}, "the tool payy is not offered, but get, pay; did you mean 'pay'?"),
        ({"offers": ["get", "pay"]}, {"offers": ["get", "x"]}, "the tool x is not offered, but get, pay"),
        ({"headers": {"X-Tenant": "acme"}}, {"headers": {"x-tenant": "b"}}, "the header x-tenant lacks 'b': 'Acme'"),
        ({"headers": {"x-tenant": "acme"}}, {"headers": {"x-user": "b"}}, "there is no header x-user"),
        ({"tool": "get"}, {"tool": "ship"}, "no result of ship has come back, but of get, pay"),
        ({"result_has": ["shipped", "paid"]}, {"result_has": "x"}, "what the tools returned lacks 'x': ..."),
        (
            {"tool": "get", "result_has": "Shipped"},
            {"tool": "get", "result_has": "paid"},
            "the result of get lacks 'paid': '{\"status\": \"shipped\"}'",
        ),
        (
            {"tool": "pay", "result_lacks": "shipped"},
            {"tool": "pay", "result_lacks": "paid"},
            "the result of pay has 'paid': 'paid'",
        ),
        (
            {"tool": "get", "result_json": True},
            {"tool": "pay", "result_json": True},
            "the result of pay is no JSON: 'paid'",
        ),
        (
            {"tool": "pay", "result_json": False},
            {"tool": "get", "result_json": False},
            'the result of get is JSON: \'{"status": "shipped"}\'',
        ),
        ({"results_ok": True}, {"results_ok": False}, "each call was answered, none by an error"),
        ({"turn": 2}, {"turn": 1}, "this is turn 2 of the assistant, not 1"),
    ],
)
def test_each_condition_holds_or_says_what_came_instead(asked, met, unmet, why):
    seen = Seen(conversation(asked, *GOOD))
    assert expect(**met).met(seen)
    assert expect(**met).failures(seen) == []
    assert not expect(**unmet).met(seen)
    (said,) = expect(**unmet).failures(seen)
    assert re.fullmatch(re.escape(why).replace(r"\.\.\.", ".*"), said)


@pytest.mark.parametrize(
    ("results", "why"),
    [
        (("ok",), "the call of pay was not answered"),
        ((), "the call of get was not answered"),
        (("ok", '{"error": "no money"}'), 'the call of pay was answered by an error: \'{"error": "no money"}\''),
    ],
)
def test_results_are_ok_only_if_each_call_was_answered_and_none_by_an_error(asked, results, why):
    seen = Seen(conversation(asked, *results))
    assert expect(results_ok=True).failures(seen) == [why]
    assert expect(results_ok=False).met(seen)


def test_where_nothing_was_called_no_result_is_ok(asked):
    seen = Seen(asked("Hello"))
    assert expect(results_ok=True).failures(seen) == ["the turn before called no tool"]
    assert expect(result_json=True).failures(seen) == ["no tool's result has come back"]
    assert expect(tool="get", result_has="x").failures(seen) == ["no result of get has come back"]
    assert expect(offers="get").failures(seen) == ["the tool get is not offered: none is"]


def test_a_result_of_a_call_that_nobody_made_is_called_so(asked):
    seen = Seen(asked("Hello", Message("tool", "x", answers="9")))
    assert expect(tool="get").failures(seen) == ["no result of get has come back, but of a call that nobody made"]


def test_results_of_earlier_turns_do_not_count(asked):
    request = conversation(asked, *GOOD)
    later = Seen(asked(*request.messages, ("assistant", "Done"), "Thanks"))
    assert expect(tool="get").failures(later) == ["no result of get has come back"]


def test_all_that_do_not_hold_are_told(asked):
    seen = Seen(asked("Hello"))
    assert expect(user="refund", turn=2, model="x").failures(seen) == [
        "the last user message lacks 'refund': 'Hello'",
        "the model is 'gpt-5', not 'x'",
        "this is turn 1 of the assistant, not 2",
    ]


def test_no_conditions_hold_of_everything(asked):
    assert ANY.met(Seen(asked()))
    assert str(ANY) == "anything"


def test_conditions_are_told_as_they_were_written():
    wanted = expect(user=["a", re.compile("b")], headers={"X": "c"}, offers=["d", "e"], results_ok=True, turn=2)
    assert str(wanted) == "user 'a' and /b/, offers d and e, headers x 'c', results_ok true, turn 2"


def test_the_words_are_the_same_everywhere():
    assert set(Wanted.__annotations__) == set(Conditions.__struct_fields__)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({}, "expect() expects nothing\n    Write expect(user='text'), for example."),
        (
            {"tol": "x"},
            "expect() knows no condition 'tol'; did you mean 'tool'?\n    Conditions: user, ...",
        ),
        ({"user": 5}, "expect(user=…) cannot be 5\n    Write text, re.compile(…), or a list of these."),
        ({"tool": ["a"]}, "expect(tool=…) cannot be ['a']\n    Write a tool's name."),
        ({"offers": []}, "expect(offers=…) is empty\n    Write the name of a tool, or several."),
        ({"offers": [5]}, "expect(offers=…) cannot be 5\n    Write a tool's name."),
        ({"headers": "x"}, "expect(headers=…) cannot be 'x'\n    Write {'x-name': 'text'}."),
        ({"headers": {"x": 1}}, "expect(headers=…) x cannot be 1\n    Write text, re.compile(…), or a list of these."),
        (
            {"headers": {"x-tenant": "a", "Authorization": "b"}},
            "expect(headers=…) authorization: headers that may hold a secret are kept from brains\n    Ask for ...",
        ),
        ({"results_ok": "yes"}, "expect(results_ok=…) cannot be 'yes'\n    Write True or False."),
        ({"turn": 0}, "expect(turn=…) cannot be 0\n    Write a whole number; the first turn is 1."),
        ({"turn": True}, "expect(turn=…) cannot be True\n    Write a whole number; the first turn is 1."),
    ],
)
def test_what_cannot_be_asked_is_refused(wanted, text):
    with pytest.raises(UsageError) as caught:
        expect(**wanted)
    assert re.fullmatch(re.escape(text).replace(r"\.\.\.", ".*"), str(caught.value))
