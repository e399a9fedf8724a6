"""Writes what checks found as Markdown, for people: a table of the failed runs, as a job's summary on GitHub shows it.

All that a model or a test wrote stands there as text: nothing in it becomes a link, a cell or a tag.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from squall.reports.checked import CheckedRun, headline, summary

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names a job's summary, which other commands of the same step may have written to."""
HEAD = ("test", "check", "step", "reason")
SPECIAL = re.compile(r"[\\`*_\[\]~|#!$:@]")
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
LONGEST = 500


def text(runs: Sequence[CheckedRun]) -> str:
    """The whole file."""
    return "\n".join(_lines(runs)) + "\n"


def write(path: Path, runs: Sequence[CheckedRun], environ: Mapping[str, str] = os.environ) -> None:
    """Write it, or add it to the job's summary. Raises OSError."""
    shared = environ.get(SUMMARY)
    is_shared = bool(shared) and Path(str(shared)).absolute() == path.absolute()
    with path.open("ab" if is_shared else "wb") as file:
        file.write(text(runs).encode(errors="replace"))


def escaped(words: str) -> str:
    """Words as one line of text, whatever they are made of."""
    words = " ".join("".join(each if each.isprintable() else " " for each in words).split())
    if len(words) > LONGEST:
        words = f"{words[:LONGEST]} …"
    return SPECIAL.sub(r"\\\g<0>", words.translate(ENTITIES))


def _lines(runs: Sequence[CheckedRun]) -> Iterator[str]:
    yield f"### squall: {headline(runs)}"
    yield ""
    failed = [run for run in runs if run.fails]
    if failed:
        yield _row(HEAD)
        yield _row(["---"] * len(HEAD))
        for run in failed:
            yield from _rows(run)
        yield ""
    skipped = summary(runs)["skipped_runs"]
    if skipped:
        yield f"{skipped} more {'was' if skipped == 1 else 'were'} not judged."
        yield ""


def _rows(run: CheckedRun) -> Iterator[str]:
    name = run.entry["test"] if run.entry["scenario"] is None else f"{run.entry['test']} ({run.entry['scenario']})"
    for verdict in run.entry["verdicts"]:
        if verdict["check"] in run.failed:
            yield _row([escaped(str(name)), escaped(verdict["check"]), _step(verdict), _reason(verdict)])
            name = ""  # once for all that was found in it


def _step(verdict: Mapping[str, Any]) -> str:
    return "" if verdict["step"] is None else str(verdict["step"])


def _reason(verdict: Mapping[str, Any]) -> str:
    parts = (part.strip() for part in (verdict["reason"] or "").split(";"))
    return "<br>".join(escaped(part) for part in parts if part)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
