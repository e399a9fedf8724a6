from __future__ import annotations

import pytest
from msgspec.structs import replace

from squall.reports.limits import CHOSEN, EMPTY, MEANING, REVIEW, SEVERAL, limits
from squall.reports.summary import summarize
from squall.store.record import COMMAND


def test_what_is_always_so_is_always_said():
    for summary in (summarize([]),):
        assert {MEANING, CHOSEN, EMPTY, REVIEW} <= set(limits(summary))


def test_no_fault_no_word_on_faults(lab):
    assert SEVERAL in limits(lab.summary)
    assert SEVERAL not in limits(summarize([replace(run, faults=()) for run in lab.runs]))


def test_few_runs_and_faults_that_were_never_met_are_told(lab):
    said = " ".join(limits(lab.summary))
    assert "The smallest cell rests on 5 runs" in said
    assert "1 run never met a fault that was planned for it" in said
    many = [replace(run, seed=n, hash=f"{run.hash}{n}") for run in lab.runs for n in range(4)]
    assert "smallest cell" not in " ".join(limits(summarize(many)))


def test_seeds_that_changed_nothing_are_told(lab):
    assert "In 14 of 18 cells with several runs all went the same way." in " ".join(limits(lab.summary))
    single = summarize([run for run in lab.runs if run.seed == 0])
    assert "went the same way" not in " ".join(limits(single))


def test_notes_of_the_summary_come_last(lab):
    assert limits(summarize([*lab.runs, lab.runs[0]]))[-1] == "1 record came twice and counted once."


@pytest.mark.parametrize(
    ("programs", "time"),
    [
        (set(), "Latency is virtual time, and cost"),
        ({"baseline"}, "Latency is virtual time (of programs: real time), and cost"),
        ({"baseline", "careless", "resilient"}, "Latency is real time, and cost"),
    ],
)
def test_which_time_latency_is_in_is_said(lab, programs, time):
    """A program runs on the wall's time, whatever else does."""

    def made(run):
        strategy = run.inputs.strategy
        how = f"{COMMAND}node {strategy.name}.js" if strategy.name in programs else strategy.how
        return replace(run, inputs=replace(run.inputs, strategy=replace(strategy, how=how)))

    runs = [made(run) for run in lab.runs]
    assert {run.strategy for run in runs} >= programs
    assert time in " ".join(limits(summarize(runs)))
