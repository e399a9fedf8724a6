from __future__ import annotations

from msgspec.structs import replace

from squall.reports.headline import NOTHING, headline, remarks, scope
from squall.reports.summary import summarize


def test_the_headline_says_who_met_expectations_how_often(lab):
    assert headline(lab.summary) == (
        "resilient met its expectations in 29 of 30 runs, careless in 15 of 30, baseline in 1 of 30."
    )
    assert scope(lab.summary) == "6 scenarios, 3 strategies, 90 runs"


def test_no_run_makes_no_claim():
    assert headline(summarize([])) == NOTHING == "No runs: this report makes no claim about any strategy."
    assert remarks(summarize([])) == []


def test_skipped_runs_make_none_either(lab):
    skipped = [replace(run, status="skipped", met=False) for run in lab.runs]
    assert headline(summarize(skipped)) == (
        "baseline, careless and resilient: every run was skipped, so nothing is known."
    )


def test_many_strategies_are_not_all_named(lab):
    runs = [
        replace(run, strategy=f"{run.strategy}-{copy}", hash=f"{run.hash}{copy}")
        for run in lab.runs
        for copy in range(2)
    ]
    assert headline(summarize(runs)).endswith("; 2 more strategies below.")


def test_what_a_reader_must_know_at_once_is_remarked(lab):
    assert remarks(lab.summary) == [
        "Writes happened again with the same arguments: careless 10 times and baseline 4 times.",
        "In 1 run a planned fault was never reached. That is no evidence of strength.",
    ]
    one = summarize([run for run in lab.runs if run.seed == 0 and run.strategy == "resilient"])
    assert remarks(one) == ["Each strategy had one run per scenario: that shows what can happen, not how often."]
    calm = summarize([replace(run, faults=()) for run in lab.runs if run.strategy == "resilient"])
    assert "fair weather only" in remarks(calm)[-1]
