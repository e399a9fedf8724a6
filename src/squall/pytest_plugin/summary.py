"""The table of groups at the end of a session, as wide as the terminal.

Knows how to lay out text; judges nothing. What stands under the table is in `bad_runs`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pytest

from squall.pytest_plugin.bad_runs import bad_runs, cut, shown_id
from squall.pytest_plugin.verdict import passes, percent, word
from squall.stats import wilson

if TYPE_CHECKING:
    from squall.pytest_plugin.groups import Group

NONE = "–"
GAP, INDENT = "  ", "  "
COLOURS = {"failed": "red", "passed": "green"}


class Row(NamedTuple):
    """A group's cells."""

    group: str
    passed: str
    rate: str
    interval: str
    faults: str
    required: str
    verdict: str


HEAD = Row("group", "passed", "rate", "95 % interval", "faults", "required", "verdict")


def show(terminal: pytest.TerminalReporter, groups: Sequence[Group]) -> None:
    """Write the summary of a session's groups; nothing if there is none."""
    if not groups:
        return
    config, writer = terminal.config, terminal.config.get_terminal_writer()
    count = f"{len(groups)} group{'s' if len(groups) > 1 else ''}"
    seeds = sorted({run.seed for group in groups for run in group.runs.values() if run.line})  # of runs with a world
    title = f"squall: {count}, seed {', '.join(map(str, seeds)) or config.option.squall_seed or 0}"
    terminal.write_sep("=", title, cyan=True, bold=True)
    for start, verdict in table([HEAD, *(row(group, config) for group in groups)], writer.fullwidth):
        colour = next((name for outcome, name in COLOURS.items() if outcome in verdict), "yellow")
        plain = verdict in {"", HEAD.verdict}
        terminal.write_line(start + (verdict if plain else writer.markup(verdict, **{colour: True})))
    for group in groups:
        for line in bad_runs(group, config, writer.fullwidth):
            terminal.write_line(line)


def row(group: Group, config: pytest.Config) -> Row:
    """One group's cells."""
    runs, passed, size = group.runs.values(), passes(group.runs), group.size
    low, high = wilson(passed, size)
    counts = (f"{passed}/{size}", f"{passed / size:.0%}".replace("%", " %"), f"{low * 100:.0f} – {high * 100:.0f} %")
    if group.mistaken or all(run.status == "skipped" for run in runs):
        counts = (NONE, NONE, NONE)
    met = sum(bool(run.fired) for run in runs)
    return Row(
        shown_id(group.nodeid, config),
        *counts,
        NONE if counts[0] == NONE or all(run.fired is None for run in runs) else f"{met}/{size}",
        NONE if group.required is None else in_table(group.required, group.confidence),
        group.verdict.outcome if group.verdict else outcomes(group),
    )


def in_table(rate: float, confidence: float | None) -> str:
    """What a gate requires, and at which confidence."""
    return percent(rate) if confidence is None else f"{percent(rate)} at {percent(confidence)}"


def outcomes(group: Group) -> str:
    """What pytest says of runs without a gate: `1 failed, 2 passed`."""
    counts = Counter[str](map(word, group.runs.values()))
    order = ("failed", "passed", "skipped", "xfailed", "xpassed")
    return ", ".join(f"{counts[each]} {each}" for each in order if counts[each])


def table(rows: Sequence[Row], width: int) -> Iterator[tuple[str, str]]:
    """The rows in columns, each as a line without its last cell and that cell; ids get lines of their own if need be.

    The first column is flush left, numbers are flush right.
    """
    ids, *columns = zip(*rows, strict=True)
    widths = [max(map(len, column)) for column in columns]
    wide = max(map(len, ids))
    fits = wide + sum(widths) + len(GAP) * len(widths) <= width
    for name, *numbers, verdict in rows:
        cells = [cell.rjust(size) for cell, size in zip(numbers, widths[:-1], strict=True)]
        if fits:
            yield GAP.join([name.ljust(wide), *cells, ""]), verdict
            continue
        yield cut(name, width), ""
        yield INDENT + GAP.join([*cells, ""]), verdict
