"""Each strategy's pass rate as a dot in its interval, and how likely several runs in a row all pass."""

from __future__ import annotations

from collections.abc import Sequence

from squall.reports.cells import Cell
from squall.reports.page.markup import Markup, name, tag
from squall.reports.wording import between, percent

TICKS = (0, 25, 50, 75, 100)


def rates(cells: Sequence[Cell]) -> Markup:
    """A line for each, and the scale below them."""
    lines = [_line(cell) for cell in cells]
    scale = tag("li", tag("span"), tag("div", _scale(), class_="plot"), tag("span"), class_="scale", aria_hidden="true")
    return tag("ul", lines, scale, class_="plots")


def _line(cell: Cell) -> Markup:
    label = tag("span", name(cell.strategy), class_="name")
    if cell.rate is None:
        return tag("li", label, tag("span", "no run was judged", class_="plot muted"))
    low, high = cell.interval
    parts = [
        *(tag("line", x1=f"{at}%", x2=f"{at}%", y1="0", y2="100%", class_="grid") for at in TICKS),
        tag("line", x1=_at(low), x2=_at(high), y1="50%", y2="50%", class_="interval"),
        tag("circle", cx=_at(cell.rate), cy="50%", r="5.5", class_="dot"),
    ]
    drawn = tag("svg", parts, width="100%", height="26", aria_hidden="true")
    words = tag(
        "span",
        tag("b", percent(cell.rate)),
        tag("span", f"{cell.met} of {cell.judged}"),
        tag("span", between(low, high), class_="muted"),
        class_="numbers",
    )
    return tag("li", label, tag("div", drawn, class_="plot"), words)


def _scale() -> Markup:
    labels = [
        tag("text", f"{at} %", x=f"{at}%", y="12", class_="tick" + {0: " first", 100: " last"}.get(at, ""))
        for at in TICKS
    ]
    return tag("svg", labels, width="100%", height="16")


def _at(share: float) -> str:
    return f"{share * 100:.2f}%"


def in_a_row(cells: Sequence[Cell]) -> Markup | None:
    """pass^k by strategy; None where every scenario had a single run."""
    most = max((len(cell.pass_k) for cell in cells), default=0)
    if most <= 1:
        return None
    head = tag(
        "tr", tag("th", "Runs in a row", scope="col"), [tag("th", str(k), scope="col") for k in range(1, most + 1)]
    )
    rows = [
        tag(
            "tr",
            tag("th", name(cell.strategy), scope="row"),
            [tag("td", percent(cell.pass_k[k]) if k < len(cell.pass_k) else "") for k in range(most)],
        )
        for cell in cells
    ]
    caption = "The chance that all of so many runs of one scenario pass (pass^k), averaged over the scenarios"
    table = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", rows), class_="numbers")
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label="pass^k")
