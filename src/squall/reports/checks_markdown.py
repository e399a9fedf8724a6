"""Writes what checks found as Markdown, for people: a table of the failed runs, as a job's summary on GitHub shows it.

All that a model or a test wrote stands there as text: nothing in it becomes a link, a cell or a tag.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from squall.reports.checked import CheckedRun, Tally
from squall.reports.in_markdown import escaped, table

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names a job's summary, which other commands of the same step may have written to."""
HEAD = ("test", "check", "step", "reason")


class MarkdownReport:
    """Keeps the rows of failed runs until the end, as their number stands above them."""

    def __init__(self, path: Path, environ: Mapping[str, str] = os.environ) -> None:
        shared = environ.get(SUMMARY)
        is_shared = bool(shared) and Path(str(shared)).absolute() == path.absolute()
        self._file = path.open("ab" if is_shared else "wb")
        self._tally = Tally()
        self._rows: list[list[str]] = []

    def add(self, run: CheckedRun) -> None:
        """One more run."""
        self._tally.add(run)
        if run.fails:
            self._rows += _rows(run)

    def close(self) -> None:
        """Write it."""
        with self._file as file:
            file.write(("\n".join(self._lines()) + "\n").encode(errors="replace"))

    def _lines(self) -> Iterator[str]:
        yield f"### squall: {self._tally.headline}"
        yield ""
        if self._rows:
            yield from table(HEAD, self._rows)
            yield ""
        skipped = self._tally.summary["skipped_runs"]
        if skipped:
            yield f"{skipped} more {'was' if skipped == 1 else 'were'} not judged."
            yield ""


def write(path: Path, runs: Iterable[CheckedRun], environ: Mapping[str, str] = os.environ) -> None:
    """Write all of it, or add it to the job's summary. Raises OSError."""
    report = MarkdownReport(path, environ)
    for run in runs:
        report.add(run)
    report.close()


def _rows(run: CheckedRun) -> Iterator[list[str]]:
    name = run.entry["test"] if run.entry["scenario"] is None else f"{run.entry['test']} ({run.entry['scenario']})"
    for verdict in run.entry["verdicts"]:
        if verdict["check"] in run.failed:
            yield [escaped(str(name)), escaped(verdict["check"]), _step(verdict), _reason(verdict)]
            name = ""  # once for all that was found in it


def _step(verdict: Mapping[str, Any]) -> str:
    return "" if verdict["step"] is None else str(verdict["step"])


def _reason(verdict: Mapping[str, Any]) -> str:
    parts = (part.strip() for part in (verdict["reason"] or "").split(";"))
    return "<br>".join(escaped(part) for part in parts if part)
