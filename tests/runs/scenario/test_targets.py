"""What a fault of a scenario is at, by name and in words."""

from __future__ import annotations

import pytest

from squall.runs.scenario.spec import StepSpec
from squall.runs.scenario.targets import asks_target, call_target, memory_target, place_of


@pytest.mark.parametrize(
    ("target", "place"),
    [
        (call_target(0, StepSpec(tool="pay")).name, "step 0, pay"),
        (call_target(12, StepSpec(tool="a.b c")).name, "step 12, a.b c"),
        (memory_target(3).name, "step 3"),
        (asks_target(3).name, "step 3"),
        (asks_target(None).name, "the task"),
        ("payments.issue_refund", "payments.issue_refund"),
        ("memory.store", "memory.store"),
        ("asks.steps", "asks.steps"),
        ("stepper.go", "stepper.go"),
        ("model.chat", "model.chat"),
    ],
)
def test_a_place_is_told_in_words(target, place):
    assert place_of(target) == place


def test_a_call_tells_what_it_takes_and_what_it_returns():
    target = call_target(1, StepSpec(tool="pay", arguments={"to": "ada"}, result={"id": 1, "state": "sent"}))
    assert (target.tool, target.access, target.fields, target.returns) == ("pay", "write", ("to",), ("id", "state"))


@pytest.mark.parametrize(
    ("result", "returns", "many"),
    [([{"id": 1}], ("id",), True), ([], (), True), ([1], (), True), ("text", (), False), (None, (), False)],
)
def test_results_may_be_of_any_shape(result, returns, many):
    target = call_target(0, StepSpec(tool="get", result=result, writes=False))
    assert (target.returns, target.many, target.access, target.empty) == (returns, many, "read", [] if many else {})
