"""What a suite came to in a few plain sentences, the same in every report."""

from __future__ import annotations

from squall.reports.cells import Cell
from squall.reports.summary import CALM, Summary
from squall.reports.visible import visible
from squall.reports.wording import counted, listed

NOTHING = "No runs: this report makes no claim about any strategy."
NAMED = 4
"""Strategies that the headline names."""


def headline(summary: Summary) -> str:
    """Say who did how well: `resilient met its expectations in 29 of 30 runs, careless in 15 of 30.`."""
    cells = summary.of("strategy")
    if not cells:
        return NOTHING
    first, *others = cells[:NAMED]
    if not first.judged:
        return f"{listed(map(_name, cells[:NAMED]))}: every run was skipped, so nothing is known."
    parts = [f"{_name(first)} met its expectations in {_share(first)} {'run' if first.judged == 1 else 'runs'}"]
    parts += [f"{_name(cell)} in {_share(cell)}" for cell in others]
    more = len(cells) - NAMED
    return ", ".join(parts) + (f"; {counted(more, 'more strategy', 'more strategies')} below." if more > 0 else ".")


def scope(summary: Summary) -> str:
    """`6 scenarios, 3 strategies, 90 runs`."""
    return ", ".join(
        (
            counted(len(summary.scenarios), "scenario"),
            counted(len(summary.strategies), "strategy", "strategies"),
            counted(summary.runs, "run"),
        )
    )


def remarks(summary: Summary) -> list[str]:
    """What else a reader must know at once: harm done, and what was never put to the test."""
    said = []
    cells = summary.of("strategy")
    harmful = [cell for cell in cells if cell.duplicate_effects]
    if harmful:
        named = listed(f"{_name(cell)} {counted(cell.duplicate_effects, 'time')}" for cell in harmful)
        said.append(f"Writes happened again with the same arguments: {named}.")
    unmet = sum(cell.not_reached for cell in cells)
    if unmet:
        said.append(f"In {counted(unmet, 'run')} a planned fault was never reached. That is no evidence of strength.")
    judged = [cell.judged for cell in summary.of("scenario") if cell.judged]
    if judged and max(judged) == 1:
        said.append("Each strategy had one run per scenario: that shows what can happen, not how often.")
    if summary.faults == (CALM,):
        said.append("No scenario planned a fault: this says how the strategies do in fair weather only.")
    return said


def _name(cell: Cell) -> str:
    return visible(cell.strategy, 40)


def _share(cell: Cell) -> str:
    return f"{cell.met} of {cell.judged}"
