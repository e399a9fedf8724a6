"""Writes what checks found as JSON, for programs.

    {tool, version, runs: [entry, …], summary: {runs, failed_runs, skipped_runs, fired: {check: runs}}}

An entry is `{test, scenario, steps, model_calls, attempts, tokens: {input, output}, latency_ms, capture_complete,
skipped, checked_by_test, verdicts: [{check, verdict, fired, reason, step}]}`. `skipped` is why a run was not judged,
null where it was. Keys come in this order, runs in that of the tests: the same runs make the same file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from squall.reports.checked import CheckedRun, Tally
from squall.version import __version__

NEXT = "\n  "
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


class JsonReport:
    """Writes each run at once. What stands in front of them and behind is as `json.dumps(…, indent=2)` has it."""

    def __init__(self, path: Path) -> None:
        self._tally = Tally()
        self._file = path.open("wb")
        self._write(f'{{\n  "tool": "squall",\n  "version": {_json(__version__)},\n  "runs": [')
        self._between = "\n    "

    def add(self, run: CheckedRun) -> None:
        """One more run."""
        self._tally.add(run)
        entry = {key: run.entry[key] for key in KEYS}
        self._write(self._between + _json(entry, within="\n    "))
        self._between = ",\n    "

    def close(self) -> None:
        """The summary ends the file."""
        end = "]" if self._between == "\n    " else "\n  ]"
        self._write(f'{end},\n  "summary": {_json(self._tally.summary, within=NEXT)}\n}}\n')
        self._file.close()

    def _write(self, text: str) -> None:
        self._file.write(text.encode(errors="replace"))


def write(path: Path, runs: Iterable[CheckedRun]) -> None:
    """Write all of it. Raises OSError."""
    report = JsonReport(path)
    for run in runs:
        report.add(run)
    report.close()


def _json(value: Any, within: str = "\n") -> str:
    """JSON whose lines begin as deep as what it stands in."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:  # half a character, which Python's own library leaves as it is
        text = json.dumps(value, indent=2, ensure_ascii=False)
    return text.replace("\n", within)
