"""The end of a session: how many runs were checked, what was found that fails nothing, and where the reports are.

Knows how to lay out text; judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from squall.pytest_plugin.bad_runs import shown_id
from squall.pytest_plugin.checking.judged import Record
from squall.pytest_plugin.checking.merge import Line
from squall.pytest_plugin.checking.sections import reasons
from squall.reports.checked import Tally


def show(terminal: pytest.TerminalReporter, records: Sequence[Record], lines: Sequence[Line]) -> None:
    """Write it; nothing where no run was checked and no file written."""
    runs = [record.run for record in records]
    checked = any(record.entry["skipped"] is None for record in records)
    if checked:
        colour = "red" if any(run.fails for run in runs) else "green"
        terminal.write_sep("=", f"squall: {Tally(runs).headline}", bold=True, **{colour: True})
    elif lines:
        terminal.write_sep("=", "squall", bold=True)
    for line in _quieter(records, terminal.config):
        terminal.write_line(line)
    for each in lines:
        terminal.write_line(each.text, **each.colours)


def _quieter(records: Sequence[Record], config: pytest.Config) -> Iterator[str]:
    """What fails nothing: warnings, and checks that broke."""
    for record in records:
        if not record.judged or not (record.warned or record.crashed):
            continue
        name = shown_id(record.entry["test"], config)
        yield name if record.entry["scenario"] is None else f"{name} ({record.entry['scenario']})"
        yield from reasons([(f"warning: {check}", step, parts) for check, step, parts in record.warned], "  ")
        for check, reason, _ in record.crashed:
            yield f"  {check}: {reason}"
