"""The far end of a scenario with steps: a service whose results are written down beforehand."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from squall.call import CallRef, Refused
from squall.clock import VirtualClock
from squall.runs.scenario.spec import StepSpec
from squall.runs.stepping import FIND, KEY, Steps

READ = StepSpec(tool="get", arguments={"id": "7"}, result={"total": 40}, writes=False)
WRITE = StepSpec(tool="pay", arguments={"to": "ada", "parts": [1, {"a": 2}]}, result={"payment": "p_1", "rows": [1]})
SAME = StepSpec(tool="pay", arguments={"to": "ada", "parts": [1, {"a": 2}]}, result={"payment": "p_2"})
PAID = dict(WRITE.arguments)


@pytest.fixture
def steps():
    return Steps([READ, WRITE, SAME], VirtualClock())


def test_a_step_answers_what_is_written_down(steps):
    assert steps.call("step0", {"id": "7"}) == {"total": 40}
    assert steps.call("step1", PAID) == {"payment": "p_1", "rows": [1]}


def test_what_is_answered_belongs_to_the_caller(steps):
    steps.call("step1", PAID)["rows"].append(2)
    assert steps.call("step1", PAID)["rows"] == [1]
    assert WRITE.result["rows"] == [1]


@pytest.mark.parametrize("args", [{}, {"id": "8"}, {"id": "7", "more": 1}, {"id": 7}])
def test_other_arguments_are_refused_and_change_nothing(steps, args):
    with pytest.raises(Refused, match="the arguments of get are not those of step 0") as refused:
        steps.call("step0", args)
    assert refused.value.reason == "arguments"
    with pytest.raises(Refused):
        steps.call("step1", args)
    assert steps.done == [0, 0, 0]


def test_the_arguments_that_are_those_of_no_step_are_kept_by_tool(steps):
    for args in (PAID | {"to": "bob"}, PAID | {KEY: "a key is no argument"}, {KEY: "k"}):
        with contextlib.suppress(Refused):
            steps.call("step1", args)
    assert steps.refused == {"pay": [PAID | {"to": "bob"}, {}]}


def test_writes_are_counted_by_step_and_reads_are_not(steps):
    for name, args in (("step0", {"id": "7"}), ("step1", PAID), ("step1", PAID), ("step2", PAID)):
        steps.call(name, args)
    assert steps.done == [0, 2, 1]
    assert steps.revision == 3


def test_a_dry_run_changes_nothing(steps):
    assert steps.call("step1", PAID, commit=False) == WRITE.result
    assert steps.done == [0, 0, 0]


def test_each_write_is_an_effect_of_its_call(steps):
    effects: list[Any] = []
    steps.on_effect.append(effects.append)
    ref = CallRef(3, "pay", PAID)
    steps.call("step0", {"id": "7"}, ref=ref)
    steps.call("step1", PAID, ref=ref)
    steps.call("step1", PAID, ref=ref)
    assert [(each.rev, each.table, each.op, each.id, each.call) for each in effects] == [
        (1, "steps", "insert", "1.1", ref),
        (2, "steps", "insert", "1.2", ref),
    ]
    assert effects[0].after == {"step": 1, "tool": "pay", "arguments": PAID}


def test_one_key_is_one_write_of_its_step(steps):
    once = steps.call("step1", {**PAID, KEY: "k"})
    assert steps.call("step1", {**PAID, KEY: "k"}) == once
    assert steps.done == [0, 1, 0]
    assert steps.call("step2", {**PAID, KEY: "k"}) == SAME.result  # another step is another request
    steps.call("step1", {**PAID, KEY: "other"})
    steps.call("step1", PAID)
    assert steps.done == [0, 3, 1]


def test_a_dry_run_uses_no_key_up(steps):
    steps.call("step1", {**PAID, KEY: "k"}, commit=False)
    steps.call("step1", {**PAID, KEY: "k"})
    assert steps.done == [0, 1, 0]


@pytest.mark.parametrize("key", ["", 7, ["k"]])
def test_a_key_is_a_text(steps, key):
    with pytest.raises(Refused, match="is not a key"):
        steps.call("step1", {**PAID, KEY: key})
    assert steps.done == [0, 0, 0]


def test_a_step_may_have_a_key_among_its_own_arguments():
    steps = Steps([StepSpec(tool="pay", arguments={"to": "ada", KEY: "its own"}, result=1)], VirtualClock())
    steps.call("step0", {"to": "ada", KEY: "its own"})
    steps.call("step0", {"to": "ada", KEY: "its own"})
    steps.call("step0", {"to": "ada", KEY: "the agent's"})
    assert steps.done == [2]


def test_it_can_be_asked_what_became_of_a_write(steps):
    assert steps.call(FIND, {"step": 1}) == {"found": False}
    steps.call("step1", PAID)
    assert steps.call(FIND, {"step": 1}) == {"found": True, "result": WRITE.result}
    assert steps.call(FIND, {"step": 2}) == {"found": False}


@pytest.mark.parametrize("step", [3, -1, "1", True, None, 1.0])
def test_a_question_about_no_step_is_refused(steps, step):
    with pytest.raises(Refused, match="there is no step"):
        steps.call(FIND, {"step": step})


def test_what_is_to_come_later_lands_with_the_clock_or_at_the_end():
    clock = VirtualClock()
    steps = Steps([WRITE], clock)
    steps.later(10, lambda: steps.call("step0", PAID))
    steps.later(60, lambda: steps.call("step0", PAID))
    clock.advance(30)
    assert steps.done == [1]
    steps.settle()
    assert steps.done == [2]
    assert clock.elapsed() == 60


@pytest.mark.parametrize(
    ("result", "old"),
    [
        (True, False),
        (5, 4),
        (2.5, 1.5),
        ("paid", "paid (old)"),
        ("", "old"),
        (None, "old"),
        ([1, 2], [1]),
        ([], "old"),
        ({}, "old"),
        ({"b": 1, "a": "x"}, {"b": 0, "a": "x"}),
        ({"a": {"z": 1, "y": True}}, {"a": {"z": 0, "y": True}}),
    ],
)
def test_an_old_value_is_like_the_result_and_differs_in_one_part(result, old):
    steps = Steps([StepSpec(tool="get", result=result)], VirtualClock())
    assert steps.old_value(0, None) == old
    assert steps.old_value(0, "stated") == "stated"
    assert steps.call("step0", {}) == result


def test_which_part_is_old_does_not_depend_on_the_order_of_keys():
    one, other = {"b": 1, "a": 2}, {"a": 2, "b": 1}
    olds = [Steps([StepSpec(tool="get", result=each)], VirtualClock()).old_value(0, None) for each in (one, other)]
    assert olds[0] == olds[1]


def test_it_has_no_past_and_no_ages(steps):
    assert steps.as_of(3, "step1", PAID) == WRITE.result
    assert steps.age_of("step1", PAID) is None
    assert steps.done == [0, 0, 0]
