"""What the session says of its explored tests: what was covered, what limits that, what came of kept failures.

Knows how to lay out text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from squall.errors import counted
from squall.pytest_plugin.bad_runs import cut, folded, shown_id
from squall.pytest_plugin.exploring.record import Record

INDENT, DEEPER = "  ", "    "


def show(terminal: pytest.TerminalReporter, records: Sequence[Record]) -> None:
    """Write it."""
    width = terminal.config.get_terminal_writer().fullwidth
    terminal.write_sep("=", title(records), cyan=True, bold=True)
    for record in records:
        terminal.write_line(cut(shown_id(record.nodeid, terminal.config), width))
        for line in lines(record, width):
            terminal.write_line(line)


def title(records: Sequence[Record]) -> str:
    """`squall: 3 tests explored, 1 failure, 120 runs`."""
    if all(record.replay for record in records):
        return "squall: a kept failure replayed"
    number = sum(bool(each.claim) for each in records)
    failures, runs = sum(each.failures for each in records), sum(each.runs for each in records)
    if not number:
        return "squall: nothing was explored"
    told = counted(failures, "failure") if failures else "no failure"
    return f"squall: {counted(number, 'test')} explored, {told}, {runs:,} runs"


def lines(record: Record, width: int) -> Iterator[str]:
    """What is said of one item."""
    if record.replay:
        yield from _folded(record.replay, width)
        return
    if record.claim:
        yield from _folded(f"{record.claim} {record.runs:,} runs in {record.seconds:.2g} s.", width)
    for note in (*record.notes, *_revealed(record), *record.altered):
        yield from _folded(note, width)
    for each in record.kept:
        yield from _folded(each, width)


def _revealed(record: Record) -> Iterator[str]:
    if record.revealed:
        calls = ", ".join(f"{target} ({number})" if number > 1 else target for target, number in record.revealed)
        yield f"Calls that only recovering makes: {calls}."


def _folded(text: str, width: int) -> list[str]:
    return folded(INDENT + text, width, DEEPER)
