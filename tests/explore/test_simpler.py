from __future__ import annotations

import pytest

from squall.decide import Point
from squall.explore import Choice, simpler_by

KINDS = ("http_503", "timeout", "hang")


def fault(kind, phase="before", *, nth=1, attempt=1, **params):
    return Choice(Point("tool", "", "a", "d", nth, attempt), kind, phase, tuple(sorted(params.items())))


def simpler(choice, *others, **rest):
    return list(simpler_by(lambda _: others, kinds=KINDS, **rest)(choice))


def test_plainer_kinds_come_the_plainest_first():
    others = fault("hang"), fault("timeout"), fault("http_503")
    assert simpler(fault("hang"), *others) == [fault("http_503"), fault("timeout")]
    assert simpler(fault("http_503"), *others) == []


def test_kinds_that_nobody_ranked_are_the_least_plain_and_no_plainer_than_each_other():
    assert simpler(fault("odd"), fault("strange"), fault("hang")) == [fault("hang")]
    assert simpler(fault("hang"), fault("odd")) == []


def test_of_one_kind_the_earlier_phase_is_simpler():
    phases = fault("timeout", "late"), fault("timeout", "after"), fault("timeout", "before")
    assert [choice.phase for choice in simpler(fault("timeout", "late"), *phases)] == ["before", "after"]
    assert simpler(fault("timeout", "chunk 3"), *phases) == [phases[2], phases[1], phases[0]]


def test_of_one_kind_the_earlier_call_and_attempt_are_simpler():
    calls = [fault("timeout", nth=nth, attempt=attempt) for nth in (2, 1) for attempt in (2, 1)]
    assert simpler(fault("timeout", nth=2, attempt=2), *calls) == [calls[3], calls[2], calls[1]]


@pytest.mark.parametrize(
    ("value", "less"),
    [
        (60.0, [1.0, 30.0]),
        (5, [1, 2, 3, 4]),
        (9, [1, 4]),
        (1.5, [1.0]),
        (1, []),
        (0.5, []),
        (True, []),
        ("60", []),
    ],
)
def test_less_of_a_size_is_simpler_down_to_one(value, less):
    found = simpler(fault("hang", size=value), sizes=("size",))
    assert [dict(choice.params)["size"] for choice in found] == less
    assert {type(dict(choice.params)["size"]) for choice in found} <= {type(value)}


def test_parameters_that_are_no_sizes_and_those_beside_one_stay_as_they_are():
    found = simpler(fault("hang", other=9, size=2), sizes=("size",))
    assert found == [fault("hang", other=9, size=1)]
