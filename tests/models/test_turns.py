"""`say`, `call`, `calls`, `refuse`: what they make, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import pytest

from squall import models
from squall.call import Reply, ToolUse, Usage
from squall.errors import UsageError
from squall.models import call, calls, expect, refuse, say

UNTYPED: Any = models
"""As those use it who know no types."""


def told(make):
    with pytest.raises(UsageError) as caught:
        make()
    return str(caught.value)


def test_text_and_a_refusal_are_said_as_they_are():
    assert say("Hello").reply == Reply("Hello")
    assert say("").reply == Reply("")
    assert refuse("No.").reply == Reply(refusal="No.")


def test_arguments_are_compact_json_in_the_order_written():
    assert call("pay", to="Zoë", amount=5, note=None).reply.calls == (
        ToolUse("pay", '{"to":"Zoë","amount":5,"note":null}'),
    )
    assert call("ping").reply.calls == (ToolUse("ping", "{}"),)


def test_an_argument_named_as_a_keyword_goes_in_a_mapping():
    turn = call("meter", {"usage": 5, "call_id": 1}, id="m1", call_id="c1", usage={"input": 1, "output": 2})
    assert turn.reply.calls == (ToolUse("meter", '{"usage":5,"call_id":1,"id":"m1"}', "c1"),)
    assert turn.reply.usage == Usage(1, 2)


def test_text_in_place_of_arguments_goes_over_the_wire_as_it_is():
    assert call("pay", '{"amount": 5').reply.calls == (ToolUse("pay", '{"amount": 5'),)


def test_several_calls_are_one_turn_and_text_may_stand_before_them():
    uses = (ToolUse("a", '{"x":1}'), ToolUse("b"))
    assert calls(call("a", x=1), call("b")).reply == Reply(calls=uses)
    assert say("Wait.", call("a", x=1), call("b")).reply == Reply("Wait.", uses)


@pytest.mark.parametrize("make", [say, refuse, call, lambda _, **more: calls(call("t"), **more)])
def test_each_takes_tokens_a_reason_to_end_and_thoughts(make):
    reply = make("t", usage=Usage(3, 4, cached=1), finish_reason="length", reasoning="Hm.").reply
    assert (reply.usage, reply.finish, reply.reasoning) == (Usage(3, 4, cached=1), "length", "Hm.")


def test_a_turn_is_frozen_and_after_makes_another():
    turn: Any = say("Hello")
    wanted = expect(user="hi")
    assert turn.after(wanted).expects == (wanted,)
    assert turn.expects == ()
    with pytest.raises(AttributeError):
        turn.at = "x"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: UNTYPED.say(5), "say(5): this is no text\n    Write say('text')."),
        (lambda: UNTYPED.refuse(None), "refuse(None): this is no text\n    Write refuse('text')."),
        (lambda: UNTYPED.call(""), "call(''): this is no tool's name\n    Write call('tool', argument=value)."),
        (
            lambda: UNTYPED.call("t", [1]),
            "call('t'): arguments cannot be [1]\n    Write call('t', name=value) or call('t', {'name': value}).",
        ),
        (lambda: UNTYPED.call("t", "{}", a=1), "call('t'): arguments are text and also a\n    Write one of both."),
        (
            lambda: UNTYPED.call("t", a=math.nan),
            (
                "call('t'): arguments are not JSON: Out of range float values are not JSON compliant\n"
                "    Use text, numbers, booleans, None, lists and mappings."
            ),
        ),
        (
            lambda: UNTYPED.call("t", call_id=5),
            (
                "call(call_id=5): this is no text\n"
                "    An argument of the tool that is named so goes in a mapping: call('tool', {'call_id': …})."
            ),
        ),
        (
            lambda: UNTYPED.call("t", usage=5),
            (
                "call(usage=5): usage is the tokens of the reply, {'input': 9, 'output': 3}\n"
                "    An argument of the tool that is named so goes in a mapping: call('tool', {'usage': …})."
            ),
        ),
        (
            lambda: UNTYPED.call("t", reasoning=5),
            (
                "call(reasoning=5): this is no text\n"
                "    An argument of the tool that is named so goes in a mapping: call('tool', {'reasoning': …})."
            ),
        ),
        (lambda: UNTYPED.say("t", finish_reason=5), "say(finish_reason=5): this is no text"),
        (
            lambda: UNTYPED.say("t", usage=5),
            "say(usage=5): usage is the tokens of the reply, {'input': 9, 'output': 3}",
        ),
        (
            lambda: UNTYPED.say("t", usage={"inputs": 5, "output": -1}),
            (
                "say(usage={'inputs': 5, 'output': -1}): unknown key 'inputs', did you mean 'input'? "
                "And input is missing; output cannot be -1\n    Keys: input, output, cached, reasoning."
            ),
        ),
        (calls, "calls() has no calls in it\n    Write calls(call('a'), call('b'))."),
        (lambda: UNTYPED.calls(5), "calls(… 5 …): this is no call of a tool\n    Write calls(call('a'), call('b'))."),
        (lambda: UNTYPED.say("a", "b"), "say(… 'b' …): this is no call of a tool\n    Write say('text', call('a'))."),
        (
            lambda: UNTYPED.calls(call("a", usage={"input": 1, "output": 1})),
            (
                "calls(… call a {} …): usage, finish_reason, reasoning and expectations are those of the whole turn\n"
                "    Give them to calls(…)."
            ),
        ),
        (lambda: UNTYPED.say("a").after("b"), "after('b'): a turn comes after expectations\n    Write expect(…)."),
    ],
)
def test_what_is_wrong_is_told_with_what_to_write(make, text):
    assert told(make) == text


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (say("Hello"), "say 'Hello'"),
        (say("Wait.", call("a", x=1)), "say 'Wait.' and call a {\"x\":1}"),
        (calls(call("a"), call("b")), "call a {} and call b {}"),
        (refuse("No."), "refuse 'No.'"),
        (call("a", x="y" * 99), 'call a {"x":"' + "y" * 54 + " …"),
    ],
)
def test_a_turn_is_told_in_a_few_words(turn, words):
    assert str(turn) == words
