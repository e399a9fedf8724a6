"""How long each strategy's runs took: every run a dot, the middle half a box, the median a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log10

from squall.reports.page.markup import Markup, name, tag
from squall.reports.wording import seconds
from squall.stats.quantile import quantile

TICKS = (0.0, 1.0, 10.0, 60.0, 600.0, 3600.0, 36000.0, 360000.0)
ENDS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 90.0, 180.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 36000.0)
NEAR = 0.82
"""So much of the scale is left of its last but one tick, lest two labels touch."""
BINS = 160
HIGHEST = 6
"""Dots above each other; more are not drawn."""
MIDDLE, STEP, RADIUS = 28, 3.6, 2.2


def latencies(of: Mapping[str, Sequence[float]]) -> Markup:
    """A line for each strategy, in the order given, on one scale that grows like a logarithm."""
    most = max((max(values, default=0.0) for values in of.values()), default=0.0)
    end = next((end for end in ENDS if end >= most), most)
    lines = [_line(strategy, values, end) for strategy, values in of.items()]
    scale = tag("div", _scale(end), class_="plot")
    return tag(
        "ul", lines, tag("li", tag("span"), scale, tag("span"), class_="scale", aria_hidden="true"), class_="plots"
    )


def _line(strategy: str, values: Sequence[float], end: float) -> Markup:
    label = tag("span", name(strategy), class_="name")
    if not values:
        return tag("li", label, tag("span", "no run was judged", class_="plot muted"))
    low, middle, high, p95 = (quantile(values, share) for share in (0.25, 0.5, 0.75, 0.95))
    grid = [tag("line", x1=_at(tick, end), x2=_at(tick, end), y1=0, y2="100%", class_="grid") for tick in _ticks(end)]
    box = tag("rect", x=_at(low, end), width=_width(low, high, end), y=MIDDLE + 5, height=9, rx=2, class_="box")
    line = tag("line", x1=_at(middle, end), x2=_at(middle, end), y1=MIDDLE + 3, y2=MIDDLE + 16, class_="median")
    drawn = tag("svg", grid, _dots(values, end), box, line, width="100%", height=MIDDLE + 20, aria_hidden="true")
    words = tag(
        "span",
        tag("span", "median ", tag("b", seconds(middle))),
        tag("span", f"p95 {seconds(p95)}"),
        class_="numbers",
    )
    return tag("li", label, tag("div", drawn, class_="plot"), words)


def _dots(values: Sequence[float], end: float) -> list[Markup]:
    bins = Counter(round(_share(value, end) * BINS) for value in values)
    return [
        tag("circle", cx=f"{place / BINS * 100:.2f}%", cy=MIDDLE - STEP * level - 1, r=RADIUS, class_="run")
        for place, count in sorted(bins.items())
        for level in range(min(count, HIGHEST))
    ]


def _ticks(end: float) -> list[float]:
    return [*(tick for tick in TICKS if _share(tick, end) < NEAR), end]


def _scale(end: float) -> Markup:
    labels = []
    for tick in _ticks(end):
        kind = " first" if tick == 0 else " last" if tick == end else ""
        labels.append(tag("text", seconds(tick), x=_at(tick, end), y="12", class_=f"tick{kind}"))
    return tag("svg", labels, width="100%", height="16")


def _share(value: float, end: float) -> float:
    return log10(1 + max(0.0, value)) / log10(1 + end) if end else 0.0


def _at(value: float, end: float) -> str:
    return f"{_share(value, end) * 100:.2f}%"


def _width(low: float, high: float, end: float) -> str:
    return f"{max(0.4, (_share(high, end) - _share(low, end)) * 100):.2f}%"
