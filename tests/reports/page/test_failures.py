from __future__ import annotations

import pytest
from msgspec.structs import replace

from squall.errors import UsageError
from squall.reports.page.failures import LARGEST, block, chosen, failed
from squall.reports.summary import summarize


@pytest.fixture
def careless(lab):
    return next(run for run in lab.runs if (run.scenario, run.strategy, run.seed) == ("timeout", "careless", 0))


@pytest.fixture
def shown(lab, careless, tmp_path):
    """The block of one failure whose trace is in a file of these bytes."""

    def show(data, run=careless):
        path = tmp_path / "trace.jsonl"
        if data is not None:
            path.write_bytes(data)
        return block((run.scenario, run.strategy), [run], 1, lambda _: path, lab.replay)

    return show


def test_one_failure_of_each_scenario_and_strategy_is_shown_before_the_second_of_any(lab):
    runs = sorted(lab.runs, key=lambda run: (run.scenario, run.strategy, run.seed))
    pairs = {(run.scenario, run.strategy) for run in failed(runs)}
    first = chosen(lab.summary, runs, len(pairs))
    assert set(first) == pairs
    assert all(len(own) == 1 for own in first.values())
    assert sum(map(len, chosen(lab.summary, runs, len(pairs) + 3).values())) == len(pairs) + 3
    assert chosen(lab.summary, runs, 10_000).keys() == pairs
    assert len(chosen(lab.summary, runs, 2)) == 2


def test_skipped_runs_did_not_fail_and_those_that_never_met_their_fault_did(lab):
    skipped = replace(lab.runs[0], status="skipped")
    unmet = replace(lab.runs[1], status="not_fired", met=True)
    assert failed([skipped, unmet]) == [unmet]


def test_a_trace_that_is_the_records_own_is_drawn(lab, careless, shown):
    assert 'class="lanes"' in shown(lab.trace_of(careless).read_bytes())


def test_of_a_trace_that_was_changed_there_is_no_picture(lab, careless, shown):
    text = shown(lab.trace_of(careless).read_bytes().replace(b"issue_refund", b"issue_refunds", 1))
    assert 'class="lanes"' not in text
    assert "The trace was changed after it was recorded (line" in text
    assert "the line was changed" in text


def test_of_another_runs_trace_there_is_no_picture(lab, careless, shown):
    other = next(run for run in lab.runs if run.head != careless.head)
    assert "The trace is not the one that the record was made from" in shown(lab.trace_of(other).read_bytes())


def test_without_a_trace_there_is_none_either(lab, careless, shown):
    text = block(("timeout", "careless"), [careless], 1, lambda _: None, lab.replay)
    assert "There is no trace of this run beside its record" in text
    assert "The trace cannot be read" in shown(None)

    def gone(run):
        raise UsageError("the run is not in its folder")

    assert "The trace cannot be read" in block(("timeout", "careless"), [careless], 1, gone, lab.replay)


def test_a_trace_that_is_very_long_is_not_drawn(careless, shown):
    assert "The trace is too long for a picture: 8 MB." in shown(b"x" * (LARGEST + 1))


def test_further_failures_of_the_kind_are_folded_and_counted(lab):
    runs = [run for run in lab.runs if (run.scenario, run.strategy) == ("timeout", "careless")]
    text = block(("timeout", "careless"), runs[:3], len(runs), lab.trace_of, lab.replay)
    assert "<summary>2 more: seeds 1, 2</summary>" in text
    two = block(("timeout", "careless"), runs[:2], 2, lab.trace_of, lab.replay)
    assert "<summary>1 more: seed 1</summary>" in two
    assert "2 more failures like this, not shown here." in text
    assert text.count('class="lanes"') == 3


def test_a_run_says_why_it_failed_what_it_answered_and_which_sample_it_is(lab, careless):
    bare = replace(careless, reasons=(), answer={"paid": True}, sample=2, status="crashed", description="")
    text = block(("timeout", "careless"), [bare], 1, lab.trace_of, lab.replay)
    assert "The record names no reason." in text
    assert "<code>{&quot;paid&quot;:true}</code>" in text
    assert "seed 0, run 0, sample 2" in text
    unmet = replace(careless, status="not_fired", reasons=())
    assert "A planned fault never happened" in block(("timeout", "careless"), [unmet], 1, lab.trace_of, lab.replay)


def test_a_reason_of_many_lines_keeps_them_apart_and_does_not_go_on_for_ever(lab, careless):
    many = replace(careless, reasons=("exactly one row\n  r_1 by call 3\n" + "  more\n" * 20,))
    text = block(("timeout", "careless"), [many], 1, lab.trace_of, lab.replay)
    assert '<li>exactly one row<div class="muted">r_1 by call 3</div>' in text
    assert text.count(">more</div>") == 5
    assert '<div class="muted">…</div>' in text


def test_summaries_of_changed_runs_find_their_labels(careless):
    assert chosen(summarize([careless]), [careless], 1) == {("timeout", "careless"): [careless]}
