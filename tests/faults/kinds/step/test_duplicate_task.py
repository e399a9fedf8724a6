"""The kind `duplicate_task`."""

from __future__ import annotations

import pytest

from squall.faults.kinds.step.duplicate_task import KIND


async def asked(env, _steps):
    return [step.index async for step in env.steps()]


def test_it_is_asked_for_after_the_task():
    assert KIND.phase == "after"


@pytest.mark.parametrize(("more", "indexes"), [("", [0, 1, 0, 1]), ("\nrepeat = 2", [0, 1] * 3)])
def test_all_steps_are_asked_for_again(stepped, more, indexes):
    assert stepped(f'kind = "duplicate_task"{more}', asked) == indexes


def test_a_call_within_it_may_be_repeated_too(stepped):
    fault = 'kind = "duplicate_task"\n[[faults]]\nkind = "repeated_call"\nstep = 0\noccurrence = 2'
    assert stepped(fault, asked) == [0, 1, 0, 0, 1]


@pytest.mark.parametrize(("strategy", "met"), [("baseline", False), ("careless", False), ("resilient", True)])
def test_who_remembers_what_was_done_does_nothing_twice(lab, strategy, met):
    assert lab('kind = "duplicate_task"', strategy).met == met
