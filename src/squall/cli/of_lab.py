"""Words and options that the commands of the lab share."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import typer

from squall.errors import Problem, UsageError, shown
from squall.reports.lines import labelled, wrapped
from squall.reports.wording import counted
from squall.store.record import RunRecord

LABEL = 12
MOST_SEEDS = 1_000_000
INTERRUPTED = 130
PAGES = (".html", ".htm")
BESIDE = ("csv", "xml", "md", "json")
"""Endings of the files beside a report of runs."""


def replay_command(folder: Path, beside: Path | None = None) -> str:
    """The line to paste here; of a page `beside` the runs, in its folder: so it is the same wherever it was made."""
    if beside is not None:
        folder = Path(os.path.relpath(folder.absolute(), beside.absolute().parent))
    return f"squall replay {shlex.quote(str(folder))}"


def report_at(path: Path | None, beside: Sequence[str] = BESIDE) -> None:
    """Find the place of a report good before anything is run. `beside` are the endings of its other files."""
    if path is None:
        return
    ending = path.suffix.lower()
    if ending not in PAGES and not path.is_dir():
        hint = f"Name it {path.with_suffix('.html')}: the others are written beside it."
        why = "is the name of another file" if ending.lstrip(".") in beside else "does not end in .html"
        raise UsageError(Problem(f"the report is a page, and {str(path)!r} {why}", hint=hint))
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        if not os.access(path.parent, os.W_OK):
            raise PermissionError(None, "its folder may not be written to")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes wrong with a file that somebody wants to have is wrong input."""
    try:
        yield
    except OSError as error:
        raise UsageError(Problem(f"cannot write {str(path)!r}: {error.strerror or error}")) from None


def tell_run(record: RunRecord, folder: Path) -> None:
    """One run for people: how it ended, why, what happened to the faults, where it is."""
    numbers = record.metrics
    _say(f"{record.status.replace('_', ' ')}  {record.scenario} × {record.strategy}, seed {record.seed}")
    for reason in record.reasons:
        first, *rest = reason.splitlines() or [""]
        typer.echo(wrapped(first, 2))
        for line in rest:
            typer.echo(wrapped(line, 4))
    for fault in record.faults:
        what = "fired" if fault.fired else "reached, and changed nothing" if fault.reached else "not reached"
        times = f" {fault.fired} times" if fault.fired > 1 else ""
        _say(f"{fault.kind} at {fault.place}: {what}{times}", "fault")
    calls = f"{counted(numbers.calls, 'call')}, {counted(numbers.attempts, 'attempt')}"
    seconds = "seconds" if record.inputs.strategy.command else "virtual seconds"
    _say(
        f"{numbers.latency_s:g} {seconds}, {calls}, {numbers.cost:g} {'unit' if numbers.cost == 1 else 'units'}", "took"
    )
    if numbers.duplicate_effects:
        _say(f"{counted(numbers.duplicate_effects, 'effect')} happened again", "duplicates")
    for note in record.notes:
        for place, line in enumerate(note.splitlines()):
            _say(line, "" if place else "note")
    for label, line in (("stored", str(folder)), ("again", replay_command(folder))):  # whole, to be pasted
        typer.echo(f"  {label:<{LABEL}}{line}")


def _say(text: str, label: str | None = None) -> None:
    typer.echo(wrapped(text) if label is None else labelled(label, text, indent=2, wide=LABEL))


def plain(record: RunRecord, folder: Path, *, fresh: bool) -> dict[str, Any]:
    """One run as JSON has it, without what it was made from."""
    fields: dict[str, Any] = msgspec.to_builtins(record)
    del fields["inputs"]
    return fields | {"folder": str(folder), "fresh": fresh}


def tell_json(data: Any) -> None:
    """Print it as JSON."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def seeds_in(text: str | None) -> tuple[int, ...]:
    """The seeds that `0..19`, `1,2,5` or a mixture means. Raises UsageError."""
    return () if text is None else tuple(dict.fromkeys(_seeds(text)))


def _seeds(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, dots, last = part.strip().partition("..")
        try:
            low, high = int(first), int(last if dots else first)
        except ValueError:
            hint = "Write 0..19, or 1,2,5."
            raise UsageError(Problem(f"--seeds {shown(text)}: {part.strip()!r} is no number", hint=hint)) from None
        if high < low or high - low >= MOST_SEEDS:
            hint = f"Write the smaller number first, and at most {MOST_SEEDS:,} of them."
            raise UsageError(Problem(f"--seeds {shown(text)}: {part.strip()!r} is no range", hint=hint))
        yield from range(low, high + 1)
