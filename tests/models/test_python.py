"""Brains that are functions of the user's."""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import pytest

from squall import call as values
from squall.errors import UsageError
from squall.models import ModelRequest, NoMatch, PythonBrain, Reply, ToolUse, Usage, call, calls, refuse, say

USE = ToolUse("pay", '{"amount":5}')
HINT = "\n    Return text, Reply(…), say(…), call(…), calls(…), refuse(…), a ToolUse or a list of them."

UNTYPED: Any = values
"""As those use it who know no types."""


def told(make):
    with pytest.raises(UsageError) as caught:
        make()
    return str(caught.value).replace(f"{__file__}:", "FILE:").replace("tests/models/test_python.py:", "FILE:")


@pytest.mark.parametrize(
    ("returned", "reply"),
    [
        ("Hello", Reply("Hello")),
        (Reply("Hello", usage=Usage(1, 2)), Reply("Hello", usage=Usage(1, 2))),
        (USE, Reply(calls=(USE,))),
        ([USE, USE], Reply(calls=(USE, USE))),
        ((USE,), Reply(calls=(USE,))),
        (UNTYPED.Reply(calls=[USE]), Reply(calls=(USE,))),
        (say("Hi"), Reply("Hi")),
        (call("pay", amount=5), Reply(calls=(USE,))),
        (calls(call("pay", amount=5), call("pay", amount=5)), Reply(calls=(USE, USE))),
        (refuse("No."), Reply(refusal="No.")),
    ],
)
def test_what_a_function_returns_becomes_a_reply_async_or_not(asked, returned, reply):
    async def later(request):
        await asyncio.sleep(0)
        return returned

    assert PythonBrain(lambda request: returned).answer(asked("Hi")) == reply
    assert asyncio.run(_awaited(PythonBrain(later).answer(asked("Hi")))) == reply


async def _awaited(answer):
    return await answer


def test_it_is_given_the_request(asked):
    def brain(request: ModelRequest) -> Reply:
        assert isinstance(request, ModelRequest)
        return Reply(request.messages[-1].text)

    assert PythonBrain(brain).answer(asked("Hi")) == Reply("Hi")


def test_a_function_may_say_itself_that_nothing_matches(asked):
    def brain(request):
        raise NoMatch("no order is named", "the user says 'Hi'")

    with pytest.raises(NoMatch, match="no order is named: the user says 'Hi'"):
        PythonBrain(brain).answer(asked("Hi"))


def test_its_own_errors_are_its_own(asked):
    with pytest.raises(ZeroDivisionError):
        PythonBrain(lambda request: 1 / 0).answer(asked("Hi"))


def test_a_sentinel_is_found_before_it_is_asked(asked):
    with pytest.raises(NoMatch, match="the sentinel '4111'"):
        PythonBrain(lambda request: pytest.fail("asked"), sentinels=["4111"]).answer(asked("4111"))


def test_nothing_can_be_said_of_what_was_not_used():
    assert PythonBrain(lambda request: "x").unused() == []


def bad_brain(request):
    return None


def line(function):
    return function.__code__.co_firstlineno


class Office:
    def answer(self, request):
        return {"text": "Hi"}

    def __call__(self, request):
        return 5


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            bad_brain,
            f"the brain bad_brain (FILE:{line(bad_brain)}) returned None\n    Is a return missing? ",
        ),
        (functools.partial(bad_brain), f"the brain bad_brain (FILE:{line(bad_brain)}) returned None"),
        (
            Office().answer,
            f"the brain Office.answer (FILE:{line(Office.answer)}) returned {{'text': 'Hi'}} (dict){HINT}",
        ),
        (
            Office(),
            f"the brain Office.__call__ (FILE:{line(Office.__call__)}) returned 5 (int){HINT}",
        ),
        (lambda request: [], f"returned [] (list){HINT}"),
        (
            lambda request: [call("a"), call("b")],
            "(list)\n    Return calls(call(…), call(…)) for several calls at once.",
        ),
        (lambda request: UNTYPED.Reply(5), f"returned a reply whose text is 5 (int), not text{HINT}"),
        (lambda request: UNTYPED.Reply(finish=5), f"returned a reply whose finish is 5 (int), not text{HINT}"),
        (
            lambda request: UNTYPED.Reply(usage={}),
            f"returned a reply whose usage is {{}} (dict), not Usage(input, output){HINT}",
        ),
        (lambda request: UNTYPED.Reply(calls=5), f"returned a reply whose calls are 5 (int), not ToolUse values{HINT}"),
        (
            lambda request: UNTYPED.Reply(calls=["a"]),
            f"returned a reply one of whose calls is 'a' (str), not a ToolUse{HINT}",
        ),
        (lambda request: UNTYPED.ToolUse(5), f"returned a call whose name and id are 5 and None, not text{HINT}"),
        (
            lambda request: UNTYPED.ToolUse("pay", {"amount": 5}),
            f"returned a call of pay whose arguments are {{'amount': 5}} (dict), not JSON text{HINT}",
        ),
    ],
)
def test_what_is_no_reply_is_told_with_the_function_and_its_place(asked, function, says):
    assert says in told(lambda: PythonBrain(function).answer(asked("Hi")))


def test_what_an_async_function_returns_is_checked_too(asked):
    async def brain(request):
        return 5

    assert "brain (FILE:" in told(lambda: asyncio.run(_awaited(PythonBrain(brain).answer(asked("Hi")))))


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (5, "a brain cannot be 5\n    Write def brain(request): …"),
        (
            lambda: "x",
            "cannot be called with a request: too many positional arguments\n    Write def brain(request): …",
        ),
        (lambda a, b: "x", "cannot be called with a request: missing a required argument: 'b'"),
    ],
)
def test_what_cannot_take_a_request_is_refused_at_once(function, says):
    assert says in told(lambda: PythonBrain(function))


def test_a_function_without_a_signature_is_taken_on_trust():
    function: Any = max
    assert PythonBrain(function).unused() == []
