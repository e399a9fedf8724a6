from __future__ import annotations

from msgspec.structs import replace

from squall.reports.lab_markdown import markdown
from squall.reports.pairs import summarize_pair
from squall.reports.summary import summarize


def test_the_headline_the_strategies_and_the_faults_are_there(lab):
    text = markdown(lab.summary)
    assert text.startswith("### squall: resilient met its expectations in 29 of 30 runs, careless in 15 of 30")
    assert "| careless | 15 of 30 | 50 % | 33–67 % | 15 of 30 | 0 | 2.03 s | 62.2 s |" in text
    assert "| repeated\\_call | 5 of 5 | 0 of 5 | 0 of 4, 1 not reached |" in text
    assert "What this does not show" in text


def test_a_fault_that_nobody_met_and_a_cell_without_runs_are_told(lab):
    unmet = replace(lab.runs[0], faults=tuple(replace(fault, fired=0) for fault in lab.runs[0].faults))
    other = next(run for run in lab.runs if run.scenario == "stale-memory" and run.strategy == "resilient")
    assert "never fired" in markdown(summarize([unmet]))
    assert "| stale\\_memory | 1 of 1 | no run |" in markdown(summarize([unmet, other]))


def test_two_suites_are_compared(lab):
    sides = [[run for run in lab.runs if run.strategy == name] for name in ("careless", "resilient")]
    text = markdown(lab.summary, summarize_pair(*sides))
    assert "#### A against B\n\n- careless passed 15 of 30 runs, resilient 29" in text


def test_no_run_makes_no_claim_and_no_table():
    text = markdown(summarize([]))
    assert "this report makes no claim about any strategy" in text
    assert "| --- |" not in text


def test_nothing_that_somebody_is_called_is_markup(lab):
    name = "a|b <script> [x](y) @you `c` \u202e"
    text = markdown(summarize([replace(lab.runs[0], strategy=name)]))
    assert "<script>" not in text
    assert "a\\|b &lt;script&gt; \\[x\\](y) \\@you \\`c\\` \\\\u202e" in text
