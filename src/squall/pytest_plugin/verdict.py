"""What a gate makes of its runs.

A skipped run, a lost run and a run that was not fired are no passes. With a confidence the runs must show the rate, and
too few of them are inconclusive, which is no pass either. Knows records and rates; no pytest, no report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal, NamedTuple

from squall.pytest_plugin.record import RunRecord

Outcome = Literal["passed", "failed", "inconclusive", "skipped", "xfailed", "xpassed", "undecided"]
NOT_PASSED: tuple[Outcome, ...] = ("failed", "inconclusive")
SLACK = 1e-9  # 0.95 of 20 runs is 19, whatever the floats say
GATE: dict[str, Outcome] = {"pass": "passed", "fail": "failed", "inconclusive": "inconclusive"}
WORDS = {"not_fired": "not fired"}


class Required(NamedTuple):
    """The rate that a gate requires, and how sure it must be; None where the plain share decides."""

    rate: float
    confidence: float | None = None


class Verdict(NamedTuple):
    """A group's outcome and the sentence that says why."""

    outcome: Outcome
    sentence: str


def decide(runs: Mapping[int, RunRecord], size: int, required: Required | None, lost: int, *, stopped: bool) -> Verdict:
    """Judge a group of `size` runs of which `runs` reported; `stopped`: the session ended before the rest could."""
    passed = passes(runs)
    counts = f"{passed} of {size} runs passed{_others(runs, size, lost)}"
    if required is None:  # all runs were lost before one could say what the gate requires
        return Verdict("failed", f"gate: {counts}")
    met, why = _met(passed, size, required)
    sentence = (
        f"gate{' inconclusive' if met == 'inconclusive' else ''}: {counts}, required {percent(required.rate)}{why}"
    )
    if stopped and len(runs) + lost < size:
        return Verdict("undecided", f"gate undecided: {len(runs)} of {size} runs had ended when the session stopped")
    if runs and len(runs) == size and all(run.status == "skipped" and run.expected is None for run in runs.values()):
        return Verdict("skipped", _reason(runs, size))
    expected = next((run.expected for run in runs.values() if run.expected is not None), None)
    if expected is None and (mistake := next((run.mistake for run in runs.values() if run.mistake), None)):
        return Verdict("failed", mistake)  # no rate of anything
    if met == "passed":
        strict = any(run.strict for run in runs.values())
        surprising = any(run.expected is not None and run.status == "passed" for run in runs.values())
        if strict:
            return Verdict("failed", f"[XPASS(strict)] {expected}\n{sentence}")
        return Verdict("xpassed", str(expected)) if surprising else Verdict("passed", sentence)
    wrong = [run for run in runs.values() if run.status not in {"passed", "skipped"}]
    if expected is not None and not lost and all(run.expected is not None for run in wrong):
        return Verdict("xfailed", f"{expected} - {sentence}" if expected else sentence)
    return Verdict(met, sentence)


def _met(passed: int, size: int, required: Required) -> tuple[Outcome, str]:
    """Whether so many passes are enough, and what is to be said of it beyond the counts."""
    rate, confidence = required
    if confidence is None:
        return ("passed" if passed / size + SLACK >= rate else "failed"), ""
    from squall.stats.gate import gate  # most gates go by the plain share

    found = gate(passed, size, rate, confidence)
    return GATE[found.verdict], f" at {percent(confidence)} confidence: {found.reason}"


def passes(runs: Mapping[int, RunRecord]) -> int:
    """How many runs passed."""
    return sum(run.status == "passed" for run in runs.values())


def word(run: RunRecord) -> Literal["failed", "passed", "skipped", "xfailed", "xpassed"]:
    """What pytest calls the outcome of a run that has no gate."""
    if run.expected is not None and not run.strict:
        return "xpassed" if run.status == "passed" else "xfailed"
    if run.strict:
        return "failed"
    return "passed" if run.status == "passed" else "skipped" if run.status == "skipped" else "failed"


def percent(rate: float) -> str:
    """95 %, 99.9 %."""
    return f"{rate * 100:.4g} %"


def _others(runs: Mapping[int, RunRecord], size: int, lost: int) -> str:
    counts = Counter(run.status for run in runs.values())
    told = [
        f"{counts[status]} {WORDS.get(status, status)}" for status in ("skipped", "not_fired", "hung") if counts[status]
    ]
    if lost:
        told.append(f"{lost} lost with {'its worker' if lost == 1 else 'their worker'}")
    if missing := size - len(runs) - lost:
        told.append(f"{missing} never run")
    return f" ({', '.join(told)})" if told else ""


def _reason(runs: Mapping[int, RunRecord], size: int) -> str:
    reasons = list(dict.fromkeys(run.violated for run in runs.values() if run.violated))
    said = f": {'; '.join(reasons[:3])}" if reasons else ""
    return f"{'the run was' if size == 1 else f'all {size} runs were'} skipped{said}"
