from __future__ import annotations

import pytest
from msgspec.structs import replace

from squall.reports.pairs import best_against_others, summarize_pair
from squall.reports.summary import summarize


@pytest.fixture
def suite(lab):
    def of(strategy, *seeds, **changes):
        return [
            replace(run, **changes) for run in lab.runs if run.strategy == strategy and (not seeds or run.seed in seeds)
        ]

    return of


def counts(pair):
    assert pair.comparison is not None
    return pair.comparison


def test_two_suites_are_paired_by_scenario_and_seed(suite):
    [pair] = summarize_pair(suite("careless"), suite("resilient"))
    assert (pair.a, pair.b, pair.alone, pair.same, pair.changed) == ("careless", "resilient", 0, 0, ())
    found = counts(pair)
    assert (found.runs, found.both, found.only_a, found.only_b, found.neither) == (30, 14, 1, 15, 0)
    assert found.p_value == pytest.approx(0.000519, abs=1e-6)
    assert found.difference == pytest.approx(14 / 30)
    assert found.interval.low < found.difference < found.interval.high
    assert pair.sentence.startswith("careless passed 15 of 30 runs, resilient 29: resilient is 46.7 points better")


def test_the_order_of_runs_changes_no_pair(suite):
    a, b = suite("careless"), suite("resilient")
    assert summarize_pair(a[::-1], b[::-1]) == summarize_pair(a, b)


def test_runs_without_a_counterpart_do_not_count(suite):
    [pair] = summarize_pair(suite("careless", 0, 1), suite("resilient", 1, 2))
    assert (counts(pair).runs, pair.alone) == (6, 12)
    assert "12 runs of either had no counterpart" in pair.sentence


def test_suites_that_share_nothing_say_nothing(suite):
    [pair] = summarize_pair(suite("careless", 0), suite("resilient", 1))
    assert pair.comparison is None
    assert pair.sentence == "careless and resilient have no run in common: nothing can be said."


def test_namesakes_are_compared_with_each_other(suite):
    before = [*suite("resilient"), *suite("careless")]
    after = [*suite("careless", met=True, status="passed"), *suite("resilient")]
    careless, resilient = summarize_pair(before, after)
    assert (careless.a, careless.b) == ("careless in A", "careless in B")
    assert (counts(careless).only_a, counts(careless).only_b) == (0, 15)
    assert resilient.same == 30
    assert "30 of these pairs are one run each." in resilient.sentence


def test_two_versions_of_one_strategy_are_called_by_what_differs(suite):
    def tries(run, number):
        strategy = replace(run.inputs.strategy, parameters={"tries": number})
        return replace(run, hash=f"{run.hash}{number}", inputs=replace(run.inputs, strategy=strategy))

    a, b = ([tries(run, number) for run in suite("careless", 0)] for number in (2, 4))
    [pair] = summarize_pair(a, b)
    assert (pair.a, pair.b) == ("careless (tries=2)", "careless (tries=4)")


def test_a_scenario_that_changed_between_the_suites_is_named(suite):
    changed = [replace(run, inputs=replace(run.inputs, scenario={})) for run in suite("resilient", 0)]
    [pair] = summarize_pair(suite("careless", 0), changed)
    assert "Not the same scenario in both: malformed-output, partial-stream" in pair.sentence


def test_the_nth_sample_goes_with_the_nth_whatever_its_number(suite):
    a = [replace(run, sample=n, hash=f"{run.hash}{n}") for run in suite("careless", 0) for n in (0, 1)]
    b = [replace(run, sample=n, hash=f"{run.hash}{n}") for run in suite("resilient", 0) for n in (5, 9)]
    [pair] = summarize_pair(a, b)
    assert (counts(pair).runs, pair.alone) == (12, 0)


def test_skipped_runs_are_no_counterparts(suite):
    [pair] = summarize_pair(suite("careless", 0), suite("resilient", 0, status="skipped"))
    assert pair.comparison is None


def test_within_one_suite_the_best_is_held_against_the_others(lab):
    pairs = best_against_others(lab.summary, lab.runs)
    assert [(pair.a, pair.b) for pair in pairs] == [("resilient", "careless"), ("resilient", "baseline")]
    assert [counts(pair).only_a for pair in pairs] == [15, 28]


def test_one_strategy_alone_and_none_have_no_pairs(suite):
    alone = suite("careless")
    assert best_against_others(summarize(alone), alone) == ()
    assert best_against_others(summarize([]), []) == ()
