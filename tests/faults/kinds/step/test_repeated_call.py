"""The kind `repeated_call`."""

from __future__ import annotations

import pytest

from squall.faults.kinds.step.repeated_call import KIND


async def asked(env, _steps):
    return [step.index async for step in env.steps()]


def test_it_is_asked_for_after_the_step():
    assert KIND.phase == "after"


@pytest.mark.parametrize(
    ("fault", "indexes"),
    [
        ("step = 0", [0, 0, 1]),
        ("step = 1", [0, 1, 1]),
        ("step = 1\nrepeat = 3", [0, 1, 1, 1, 1]),
    ],
)
def test_the_same_step_is_asked_for_again(stepped, fault, indexes):
    assert stepped(f'kind = "repeated_call"\n{fault}', asked) == indexes


def test_at_two_steps_both_are_asked_for_again(stepped):
    fault = 'kind = "repeated_call"\nstep = 0\n[[faults]]\nkind = "repeated_call"\nstep = 1'
    assert stepped(fault, asked) == [0, 0, 1, 1]


def test_without_it_each_step_is_asked_for_once(stepped):
    assert stepped('kind = "timeout"\nstep = 0', asked, status="not_fired") == [0, 1]


def test_who_leaves_before_the_end_has_not_met_it(stepped):
    async def first(env, _steps):
        async for step in env.steps():
            return step.index
        return None

    assert stepped('kind = "repeated_call"\nstep = 1', first, status="not_fired") == 0
