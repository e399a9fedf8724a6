"""What ends a run that does not end by itself."""

from __future__ import annotations

import pytest

from squall.errors import UsageError
from squall.faults import Limits
from squall.runs.limits import ENDLESS, STANDARD, limits_with, told_limits, unless_stated


def test_given_limits_take_the_place_of_the_plans():
    assert limits_with(Limits(60.0, 10), None) == Limits(60.0, 10)
    assert limits_with(Limits(60.0, 10), {"seconds": "10m"}) == Limits(600.0, 10)
    assert limits_with(Limits(60.0, 10), {"calls": 5}) == Limits(60.0, 5)
    assert limits_with(Limits(60.0, 10), {"tokens": 900}) == Limits(60.0, 10, 900)


def test_a_trace_tells_of_tokens_only_where_they_are_limited():
    assert told_limits(Limits(60.0, 10)) == {"seconds": 60.0, "calls": 10}
    assert told_limits(Limits(60.0, 10, 900)) == {"seconds": 60.0, "calls": 10, "tokens": 900}


@pytest.mark.parametrize(
    "given", [{"second": 5}, {"calls": 0}, {"calls": True}, {"tokens": 0}, {"seconds": 0}, {"seconds": "soon"}]
)
def test_a_limit_that_is_none_is_refused(given):
    with pytest.raises(UsageError):
        limits_with(STANDARD, given)


def test_a_server_has_the_limits_that_somebody_stated():
    assert unless_stated(STANDARD) == ENDLESS
    assert unless_stated(Limits(60.0, STANDARD.calls)) == Limits(60.0, ENDLESS.calls)
    assert unless_stated(Limits(STANDARD.seconds, 7)) == Limits(ENDLESS.seconds, 7)
