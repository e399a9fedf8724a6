"""What a failure is called, `runs/exploring/identity.py`."""

from __future__ import annotations

import pytest

from squall.errors import LimitReached
from squall.runs.environment import Environment
from squall.runs.exploring.identity import LONGEST, identity_of, words_of
from squall.runs.lab import NotMet
from squall.runs.scenario.expectations import Unmet
from squall.worlds.properties import at_most_once


def raised(fn):
    with pytest.raises(BaseException) as found:
        fn()
    return found.value


def crash():
    return {"there": 1}["missing"]


def test_a_property_is_known_by_its_name_and_the_line_that_asked(till):
    with Environment(till) as run:
        run.world.sales.insert(amount=1.0)
        run.world.sales.insert(amount=1.0)
        name = identity_of(raised(lambda: at_most_once(run.world.sales, by="amount")), "failed")
    assert name.startswith("at_most_once at test_identity.py:")


def test_a_crash_is_known_by_its_type_and_the_users_own_line():
    assert identity_of(raised(crash), "crashed") == f"KeyError at test_identity.py:{crash.__code__.co_firstlineno + 1}"


def test_values_are_no_part_of_a_name():
    def fail(value):
        raise ValueError(value)

    names = {identity_of(raised(lambda value=value: fail(value)), "crashed") for value in ("a", "b")}
    assert len(names) == 1


@pytest.mark.parametrize(("error", "status"), [(LimitReached("steps"), "hung"), (KeyError("x"), "hung")])
def test_what_hung_is_hung_wherever_it_was_stopped(error, status):
    assert identity_of(error, status) == "hung"


def test_of_several_errors_the_first_names_it():
    group = ExceptionGroup("both", [raised(crash), ValueError()])
    assert identity_of(group, "crashed").startswith("KeyError at ")


def test_what_was_not_met_is_named_by_the_expectation_alone():
    one, other = (NotMet(Unmet("step 1, pay, happened more than once", f"… {times} times")) for times in (2, 3))
    assert identity_of(one, "failed") == identity_of(other, "failed") == "step 1, pay, happened more than once"
    assert words_of(other) == "… 3 times"


def test_a_failure_without_a_line_of_the_users_own_is_known_by_its_type():
    assert identity_of(TimeoutError("late"), "crashed") == "TimeoutError"


def test_long_words_are_cut():
    assert len(words_of(ValueError("x" * (LONGEST + 100)))) == LONGEST


def test_words_with_half_a_character_can_be_written():
    assert words_of(ValueError("paid \ud800 é")) == "paid \\ud800 é"
