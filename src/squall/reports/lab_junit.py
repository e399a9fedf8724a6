"""The lab's runs as JUnit XML, for what shows test results: a suite for each strategy, a case for each run.

`<testcase classname=SCENARIO name="seed 0, run 0" time=SECONDS>`, virtual seconds but for programs. A run that did not
pass has one `<failure>` whose `type` is its status and whose text are its reasons; a crashed one has an `<error>`, a
skipped one is `<skipped>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from squall.reports.cells import passes
from squall.reports.in_junit import held, seconds, whole
from squall.reports.summary import Summary, in_order
from squall.reports.visible import payload, visible
from squall.store.record import RunRecord

LONGEST = 500


def junit(summary: Summary, runs: Sequence[RunRecord]) -> str:
    """The whole file."""
    root = Element("testsuites", name="squall")
    of: dict[str, list[RunRecord]] = {strategy: [] for strategy in summary.strategies}
    for run in in_order(runs):
        of[summary.labels[run.hash]].append(run)
    for strategy, own in of.items():
        _suite(root, strategy, own)
    return whole(root)


def _suite(root: Element, strategy: str, runs: Sequence[RunRecord]) -> None:
    bad = [run for run in runs if run.status != "skipped" and not passes(run)]
    crashed = sum(run.status == "crashed" for run in bad)
    suite = SubElement(
        root,
        "testsuite",
        name=_text(strategy),
        tests=str(len(runs)),
        failures=str(len(bad) - crashed),
        errors=str(crashed),
        skipped=str(sum(run.status == "skipped" for run in runs)),
        time=seconds(sum(run.metrics.latency_s for run in runs)),
    )
    for run in runs:
        name = f"seed {run.seed}, run {run.run_index}" + (f", sample {run.sample}" if run.sample else "")
        case = SubElement(
            suite, "testcase", classname=_text(run.scenario), name=name, time=seconds(run.metrics.latency_s)
        )
        reasons = [_text(payload(reason, LONGEST)) for reason in run.reasons]
        if run.status == "skipped":
            SubElement(case, "skipped", message=reasons[0] if reasons else "")
        elif not passes(run):
            _failure(case, run, reasons)


def _failure(case: Element, run: RunRecord, reasons: list[str]) -> None:
    if run.status == "not_fired":
        reasons = [*reasons, "a planned fault never happened"]
    kind = "error" if run.status == "crashed" else "failure"
    failure = SubElement(case, kind, type=run.status, message=reasons[0] if reasons else "expectations do not hold")
    failure.text = "\n".join(reasons)


def _text(words: str) -> str:
    return held(visible(words, LONGEST))
