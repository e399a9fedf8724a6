"""The table of groups at the end of a session, and under each failed group what its first bad runs did.

Knows how to lay out text; judges nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from squall.pytest_plugin.record import RunRecord
from squall.pytest_plugin.runs import again
from squall.pytest_plugin.verdict import passes, percent
from squall.stats import wilson

if TYPE_CHECKING:
    from squall.pytest_plugin.groups import Group

SHOWN = 5
HEAD = ("group", "passed", "rate", "95 % interval", "required", "verdict")


def show(terminal: pytest.TerminalReporter, groups: Sequence[Group]) -> None:
    """Write the summary of a session's groups; nothing if there is none."""
    if not groups:
        return
    config = terminal.config
    count = f"{len(groups)} group{'s' if len(groups) > 1 else ''}"
    seeds = sorted({run.seed for group in groups for run in group.runs.values() if run.line})  # of runs with a world
    terminal.section(f"squall: {count}, seed {', '.join(map(str, seeds)) or config.option.squall_seed or 0}")
    for line in table([HEAD, *(row(group, config) for group in groups)]):
        terminal.write_line(line)
    for group in groups:
        if group.failed:
            terminal.write_line("")
            for line in bad_runs(group, config):
                terminal.write_line(line)


def row(group: Group, config: pytest.Config) -> tuple[str, ...]:
    """One group's cells."""
    passed, size = passes(group.runs), group.size
    low, high = wilson(passed, size)
    return (
        shown_id(group.nodeid, config),
        f"{passed}/{size}",
        f"{passed / size:.0%}".replace("%", " %"),
        f"{low * 100:.0f} – {high * 100:.0f} %",
        "–" if group.required is None else percent(group.required),
        group.verdict.outcome if group.verdict else "–",
    )


def table(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """The rows in columns; the first is flush left, numbers are flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        first, *numbers, last = (
            cell.ljust(width) if at in {0, len(widths) - 1} else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        yield "  ".join((first, *numbers, last)).rstrip()


def bad_runs(group: Group, config: pytest.Config) -> Iterable[str]:
    """Up to five runs that did not pass: what they did, what they violated, how to run just them again."""
    yield shown_id(group.nodeid, config)
    bad = [group.runs[index] for index in sorted(group.runs) if group.runs[index].status != "passed"]
    bad.sort(key=lambda run: run.status == "skipped")  # stable: what failed comes first
    for run in bad[:SHOWN]:
        yield from lines_of(run, group.ids[run.index], config)
    for nodeid in sorted(group.lost):
        yield f"  {shown_id(nodeid, config)} was lost with its worker"
    if len(bad) > SHOWN:
        yield f"  … and {len(bad) - SHOWN} more that did not pass"


def lines_of(run: RunRecord, nodeid: str, config: pytest.Config) -> Iterable[str]:
    """One run."""
    label = f"  run {run.index} {run.status.replace('_', ' ')}"
    yield f"{label}: {run.line}" if run.line else label
    if run.violated:
        yield f"    {run.violated}"
    yield f"    {again(shown_id(nodeid, config), run.seed, config.option.runs)}"


def shown_id(nodeid: str, config: pytest.Config) -> str:
    """A node id as it can be typed where pytest was started."""
    path, separator, rest = nodeid.partition("::")
    return os.path.relpath(config.rootpath / path, config.invocation_params.dir) + separator + rest
