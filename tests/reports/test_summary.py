from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from squall.reports.cells import passes
from squall.reports.summary import CALM, in_order, summarize
from squall.store.record import FaultMet, Metrics


@pytest.fixture
def run(record_of):
    """A run that passed under a timeout; its hash is made up from what is said of it."""

    def make(number=0, **changes):
        record, _ = record_of("timeout", changes.pop("strategy", "resilient"), 0)
        return replace(record, hash=f"{number:064x}", seed=number, **changes)

    return make


def only(cells):
    [cell] = cells
    return cell


def test_there_is_a_cell_for_each_strategy_and_for_each_scenario_and_fault_with_it(lab):
    summary = lab.summary
    assert (summary.runs, summary.met) == (90, 45)
    assert summary.strategies == ("resilient", "careless", "baseline")
    assert [len(summary.of(group)) for group in ("strategy", "scenario", "fault")] == [3, 18, 18]
    cell = summary.grid("scenario")["provider-error", "resilient"]
    assert (cell.runs, cell.judged, cell.met, cell.rate) == (5, 5, 4, 0.8)
    assert (round(cell.interval.low, 3), round(cell.interval.high, 3)) == (0.376, 0.964)
    assert cell.pass_k == (0.8, 0.6, 0.4, 0.2, 0.0)
    assert cell.statuses == {"passed": 4, "failed": 1}
    assert (cell.calls.median, cell.latency.median) == (3.0, 2.45)


def test_the_order_in_which_runs_come_changes_nothing(lab):
    shuffled = lab.runs[:]
    random.Random(7).shuffle(shuffled)
    assert summarize(shuffled) == lab.summary
    assert in_order(shuffled) == in_order(lab.runs)


def test_a_run_that_comes_twice_counts_once_and_is_told(lab):
    twice = summarize([*lab.runs, lab.runs[0]])
    assert twice.runs == 90
    assert twice.notes == ("1 record came twice and counted once.",)


def test_what_never_fired_is_no_pass_even_where_the_expectation_holds(run):
    unmet = run(1, status="not_fired", met=True, faults=(FaultMet("timeout", "tool", "step 0"),))
    assert not passes(unmet)
    summary = summarize([run(0), unmet])
    overall, fault = only(summary.of("strategy")), only(summary.of("fault"))
    assert (overall.judged, overall.met, overall.not_reached) == (2, 1, 1)
    assert (fault.runs, fault.judged, fault.met, fault.not_reached) == (2, 1, 1, 1)


def test_a_fault_that_was_reached_and_stayed_away_is_a_column_of_its_own(run):
    spared = run(0, faults=(FaultMet("timeout", "tool", "step 0", reached=1, fired=0),))
    fault = only(summarize([spared]).of("fault"))
    assert (fault.judged, fault.rate, fault.not_reached, fault.spared) == (0, None, 0, 1)
    assert fault.interval == (0.0, 1.0)


def test_one_of_two_faults_that_was_never_reached_makes_the_run_one_of_those(run):
    two = (FaultMet("timeout", "tool", "a", 1, 1), FaultMet("hang", "tool", "b"))
    summary = summarize([run(0, status="not_fired", faults=two)])
    overall, grid = only(summary.of("strategy")), summary.grid("fault")
    assert (overall.met, overall.not_reached, overall.spared) == (0, 1, 0)
    assert grid["timeout", "resilient"].not_reached == 0
    assert grid["hang", "resilient"].not_reached == 1


def test_recovered_is_a_pass_in_which_a_fault_fired(run):
    calm = run(1, faults=())
    failed = run(2, met=False, status="failed")
    cell = only(summarize([run(0), calm, failed]).of("strategy"))
    assert (cell.met, cell.fired, cell.recovered) == (2, 2, 1)


def test_runs_without_a_planned_fault_have_a_cell_of_their_own(run):
    summary = summarize([run(0), run(1, faults=())])
    assert summary.faults == ("timeout", CALM)
    assert summary.grid("fault")[CALM, "resilient"].judged == 1


def test_a_run_with_two_faults_counts_under_each_that_fired(run):
    both = run(0, faults=(FaultMet("timeout", "tool", "a", 1, 1), FaultMet("http_503", "model", "b", 1, 0)))
    grid = summarize([both]).grid("fault")
    assert grid["timeout", "resilient"].judged == 1
    assert grid["http_503", "resilient"].spared == 1


def test_one_kind_on_both_wires_is_two_faults(run):
    runs = [run(0, faults=(FaultMet("timeout", "tool", "a", 1, 1),))]
    assert summarize(runs).faults == ("timeout",)
    runs.append(run(1, faults=(FaultMet("timeout", "model", "model.chat", 1, 1),)))
    assert summarize(runs).faults == ("timeout (model)", "timeout (tool)")


def test_skipped_runs_are_listed_and_judged_by_nobody(run):
    summary = summarize([run(0, status="skipped", met=False)])
    cell = only(summary.of("strategy"))
    assert (cell.runs, cell.judged, cell.rate, cell.latency.median, cell.pass_k) == (1, 0, None, None, ())
    assert cell.not_reached == 0


def test_two_strategies_of_one_name_are_told_apart(run):
    old, new = run(0), run(1)
    other = replace(new, inputs=replace(new.inputs, strategy=replace(new.inputs.strategy, digest="77" * 32)))
    summary = summarize([old, other])
    assert len(summary.strategies) == 2
    assert all(name.startswith("resilient ") for name in summary.strategies)
    assert summarize([old, new]).strategies == ("resilient",)


def test_scenarios_that_share_a_name_alone_are_noted(run):
    old, new = run(0), run(1)
    other = replace(new, inputs=replace(new.inputs, scenario={"name": "timeout", "steps": []}))
    [note] = summarize([old, other]).notes
    assert note.startswith("Under the name timeout there are runs of more than one version")


def test_more_than_one_version_of_squall_is_noted(run):
    old, new = run(0), run(1)
    [note] = summarize([old, replace(new, inputs=replace(new.inputs, squall="9.9"))]).notes
    assert note == "The runs are of more than one version of squall: 0.1.0, 9.9."


def test_pass_k_is_of_runs_of_one_scenario_and_averaged_over_scenarios(record_of):
    def runs(scenario, met):
        record, _ = record_of(scenario, "resilient", 0)
        return [
            replace(record, hash=f"{scenario}{place}", met=each, status="passed" if each else "failed")
            for place, each in enumerate(met)
        ]

    [cell] = summarize(runs("timeout", [True] * 3) + runs("stale-memory", [True, False])).of("strategy")
    assert cell.pass_k == (0.75, 0.5)


def test_spreads_are_medians_and_95th_percentiles(run):
    runs = [run(n, metrics=Metrics(latency_s=float(n), calls=n)) for n in range(21)]
    [cell] = summarize(runs).of("strategy")
    assert (cell.latency.median, cell.latency.p95) == (10.0, 19.0)
    assert (cell.calls.median, cell.calls.p95) == (10.0, 19.0)


def test_courses_are_the_ways_that_runs_went_pauses_apart(run):
    alike = [run(n, metrics=Metrics(latency_s=float(n), calls=2)) for n in range(4)]
    assert only(summarize(alike).of("strategy")).courses == 1
    assert only(summarize([*alike, run(9, metrics=Metrics(calls=3))]).of("strategy")).courses == 2


def test_nothing_makes_a_summary_that_says_nothing():
    summary = summarize([])
    assert (summary.runs, summary.strategies, summary.cells, summary.notes) == (0, (), (), ())


def test_runs_of_equal_inputs_that_went_differently_count_each(run):
    same = run(head="a" * 64), run(head="b" * 64)
    assert summarize(same).runs == 2
    assert summarize(same).notes == ()
