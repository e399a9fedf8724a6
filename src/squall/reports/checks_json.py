"""Writes what checks found as JSON, for programs.

    {tool, version, runs: [entry, …], summary: {runs, failed_runs, skipped_runs, fired: {check: runs}}}

An entry is `{test, scenario, steps, model_calls, attempts, tokens: {input, output}, latency_ms, capture_complete,
skipped, checked_by_test, verdicts: [{check, verdict, fired, reason, step}]}`. `skipped` is why a run was not judged,
null where it was. Keys come in this order, runs in that of the tests: the same runs make the same file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from squall.reports.checked import CheckedRun, summary
from squall.version import __version__

KEYS = (
    "test",
    "scenario",
    "steps",
    "model_calls",
    "attempts",
    "tokens",
    "latency_ms",
    "capture_complete",
    "skipped",
    "checked_by_test",
    "verdicts",
)


def text(runs: Sequence[CheckedRun]) -> str:
    """The whole file."""
    entries = [{key: run.entry[key] for key in KEYS} for run in runs]
    report = {"tool": "squall", "version": __version__, "runs": entries, "summary": summary(runs)}
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def write(path: Path, runs: Sequence[CheckedRun]) -> None:
    """Write it. Raises OSError."""
    path.write_bytes(text(runs).encode(errors="replace"))
