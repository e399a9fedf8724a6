"""The kind `delay`."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from squall.faults.kinds.delay import KIND


def test_an_event_comes_once_and_late(trial):
    assert trial.act(KIND, target="orders.order_delivered").arrives == (60.0,)
    assert trial.act(KIND, target="orders.order_delivered", seconds="2m").arrives == (120.0,)


@pytest.mark.parametrize("seconds", [0, -1, "0s"])
def test_a_delay_takes_time(trial, seconds):
    with pytest.raises(ValidationError):
        trial.act(KIND, target="orders.order_delivered", seconds=seconds)


def test_its_example_parses(trial):
    rule = trial.example(KIND)
    assert (rule.targets, rule.params) == (("orders.order_delivered",), {"seconds": 300.0})
