"""Strategies against faults, or against scenarios: colour and text both say how often a strategy held."""

from __future__ import annotations

from squall.reports.cells import Cell, Group
from squall.reports.page.markup import Markup, tag
from squall.reports.page.markup import name as name_of
from squall.reports.summary import Summary
from squall.reports.wording import percent

FEW = 4
"""Columns that fit a telephone."""
STEPS = (
    ("none", "none"),
    ("under half", "some"),
    ("half or more", "half"),
    ("most: 80 % and up", "most"),
    ("all", "all"),
)
"""What a step is called, and its class: from vermilion to blue, which colour-blind people tell apart too."""
HALF, MOST = 0.5, 0.8


def heat_map(summary: Summary, group: Group, first: str, caption: str) -> Markup:
    """A table: a row for each fault, a column for each strategy."""
    names = summary.faults if group == "fault" else summary.scenarios
    grid = summary.grid(group)
    head = tag("tr", tag("th", first, scope="col"), [_column(name) for name in summary.strategies])
    rows = [
        tag(
            "tr",
            tag("th", name_of(name), scope="row"),
            [_cell(grid.get((name, strategy))) for strategy in summary.strategies],
        )
        for name in names
    ]
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", head),
        tag("tbody", rows),
        class_="heat" if len(summary.strategies) <= FEW else "heat many",
    )
    return tag("div", table, class_="wide inset", tabindex="0", role="region", aria_label=caption)


def legend() -> Markup:
    """What the colours mean."""
    steps = [tag("li", tag("span", class_=f"swatch {kind}", aria_hidden="true"), words) for words, kind in STEPS]
    return tag(
        "ul", steps, tag("li", tag("span", class_="swatch unmet", aria_hidden="true"), "never fired"), class_="legend"
    )


def step_of(cell: Cell) -> str:
    """The class of a cell's colour."""
    if cell.rate is None:
        return "unmet"
    if cell.met == 0:
        return "none"
    if cell.met == cell.judged:
        return "all"
    return "some" if cell.rate < HALF else "half" if cell.rate < MOST else "most"


def _column(strategy: str) -> Markup:
    return tag("th", name_of(strategy), scope="col")


def _cell(cell: Cell | None) -> Markup:
    if cell is None:
        return tag("td", "no run", class_="step empty")
    if cell.rate is None:
        return tag(
            "td",
            tag("b", "never fired" if cell.not_reached + cell.spared else "skipped"),
            _unmet(cell),
            class_="step unmet",
        )
    share = tag("b", f"{cell.met} of {cell.judged}")
    return tag("td", share, tag("small", percent(cell.rate)), _unmet(cell), class_=f"step {step_of(cell)}")


def _unmet(cell: Cell) -> list[Markup]:
    counts = (cell.not_reached, "not reached"), (cell.spared, "did not fire")
    return [tag("small", f"{count} {words}") for count, words in counts if count]
