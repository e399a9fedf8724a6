"""What all brains have in common."""

from __future__ import annotations

import pickle

import pytest

from squall.call import Reply
from squall.models import Brain, Echo, NoMatch, PythonBrain, Rules, Script, rule, say


@pytest.mark.parametrize(
    "make",
    [Echo, lambda: Script(say("Hi")), lambda: Rules(rule(then=say("Hi"))), lambda: PythonBrain(lambda _: "Hi")],
)
def test_every_brain_gives_equal_requests_equal_answers_and_lists_what_is_unused(asked, make):
    brain: Brain = make()
    assert brain.answer(asked("Hi")) == brain.answer(asked("Hi")) == Reply("Hi")
    assert brain.unused() == []


def test_the_least_brain_says_what_the_user_said(asked):
    assert Echo().answer(asked("a", ("assistant", "b"), "c")) == Reply("c")
    assert Echo().answer(asked()) == Reply("")


def test_no_match_keeps_its_parts_between_processes():
    error = pickle.loads(pickle.dumps(NoMatch("what", "nearest")))  # noqa: S301 - its own bytes
    assert (error.what, error.nearest, str(error)) == ("what", "nearest", "what: nearest")
