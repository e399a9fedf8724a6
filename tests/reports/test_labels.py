from __future__ import annotations

import pytest
from msgspec.structs import replace

from squall.reports.labels import labels_of
from squall.store.record import StrategyId


@pytest.fixture
def labels(record_of):
    """The labels of runs of these strategies."""
    record, _ = record_of("timeout", "careless", 0)

    def label(*strategies):
        runs = [
            replace(record, strategy=each.name, hash=str(place), inputs=replace(record.inputs, strategy=each))
            for place, each in enumerate(strategies)
        ]
        return list(labels_of(runs).values())

    return label


def test_one_strategy_is_called_by_its_name_alone(labels):
    same = StrategyId("careless", {"tries": 4}, "ca" * 32)
    assert labels(same, replace(same, how="elsewhere:Careless")) == ["careless", "careless"]


def test_strategies_whose_parameters_differ_are_told_apart_by_those(labels):
    one = StrategyId("careless", {"tries": 2, "pause": 1}, "ca" * 32)
    other = StrategyId("careless", {"tries": 4, "pause": 1}, "ca" * 32)
    assert labels(one, other) == ["careless (tries=2)", "careless (tries=4)"]
    assert labels(one, StrategyId("careless", {}, "ca" * 32)) == [
        "careless (pause=1, tries=2)",
        "careless (pause=null, tries=null)",
    ]


def test_commands_are_told_apart_by_the_words_that_differ(labels):
    one, other, none = (
        StrategyId("agent", {"command": ["node", "agent.js", *words]}, "ab" * 32)
        for words in (["--model", "a"], ["--model", "b"], [])
    )
    assert labels(one, other) == ["agent (a)", "agent (b)"]
    assert labels(one, none) == ["agent (--model a)", 'agent (command=["node","agent.js"])']


def test_strategies_whose_sources_differ_are_told_apart_by_a_digest(labels):
    one, other = StrategyId("mine", {}, "ab" * 32), StrategyId("mine", {}, "cd" * 32)
    assert labels(one, other) == ["mine abababab", "mine cdcdcdcd"]


def test_parameters_that_are_too_long_to_be_read_give_way_to_a_digest(labels):
    one, other = (StrategyId("mine", {"prompt": "x" * 100 + end}, "ab" * 32) for end in "ab")
    first, second = labels(one, other)
    assert first != second
    assert len(first) == len("mine ") + 8


def test_parameters_that_have_no_canonical_form_are_left_out(labels):
    odd = StrategyId("mine", {"x": float("nan")}, "ab" * 32)
    assert labels(odd) == ["mine"]
