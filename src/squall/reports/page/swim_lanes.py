"""Draws a run as swim lanes: agent, model, tools and world side by side, virtual time downwards.

As wide as a telephone's screen, so that it is never made smaller; a wide screen has several beside each other. Knows
rows, and neither traces nor pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from squall.reports.page.lane_rows import Lane, Row
from squall.reports.page.markup import Markup, tag
from squall.reports.wording import seconds

WIDTH = 336
AXIS = 46
X: dict[Lane, int] = {"agent": 70, "model": 152, "tools": 234, "world": 312}
TOP = 34
SHORT, TALL = 22, 31
LONG_GAP = 1.0
"""Virtual seconds from which on a pause is drawn as one."""
BESIDE = 11


def picture(rows: Sequence[Row], told: str) -> Markup:
    """The whole picture; `told` is the run in words, for those who do not see it."""
    parts: list[Markup] = []
    y, before = float(TOP), None
    for row in rows:
        pause = 0.0 if before is None else row.t - before
        if pause >= LONG_GAP:
            space = min(26.0, 8 + 8 * log10(1 + pause))
            parts.append(_line(AXIS, y + 3, AXIS, y + space - 1, "pause"))
            y += space
        height = TALL if row.to else SHORT
        if row.t != before:
            parts.append(tag("line", x1=AXIS - 3, x2=AXIS + 3, y1=y + 12, y2=y + 12, class_="axis"))
            parts.append(tag("text", seconds(row.t), x=AXIS - 7, y=y + 15.5, class_="when"))
        parts += _drawn(row, y)
        y, before = y + height, row.t
    bottom = y + 6
    lanes = [
        part
        for name, x in X.items()
        for part in (tag("text", name, x=x, y=14, class_="lane"), _line(x, 22, x, bottom, "lifeline"))
    ]
    axis = _line(AXIS, TOP, AXIS, bottom, "axis")
    return tag(
        "svg",
        [axis, *lanes, *parts],
        class_="lanes",
        width=WIDTH,
        height=bottom + 4,
        viewBox=f"0 0 {WIDTH} {bottom + 4:.0f}",
        role="img",
        aria_label=told,
    )


def _drawn(row: Row, y: float) -> list[Markup]:
    if row.kind == "fold":
        return [
            tag("rect", x=X["agent"] - 8, y=y + 3, width=WIDTH - X["agent"] + 6, height=16, rx=3, class_="fold"),
            tag("text", row.text, x=X["agent"], y=y + 15, class_="words muted"),
        ]
    if row.to is not None:
        return _arrow(row, row.to, y)
    x = X[row.lane]
    mark = symbol(row.kind, x, y + 11.5)
    if row.lane in {"tools", "world"}:
        return [mark, tag("text", row.text, x=x - BESIDE, y=y + 15.5, class_=f"words before {row.kind}")]
    return [mark, tag("text", row.text, x=x + BESIDE, y=y + 15.5, class_=f"words {row.kind}")]


def _arrow(row: Row, to: Lane, y: float) -> list[Markup]:
    start, end, level = X[row.lane], X[to], y + 21
    ahead = 1 if end > start else -1
    head = f"{end},{level:g} {end - 6 * ahead},{level - 3.5:g} {end - 6 * ahead},{level + 3.5:g}"
    return [
        tag("line", x1=start, x2=end - 5 * ahead, y1=level, y2=level, class_=f"arrow {row.kind}"),
        tag("polygon", points=head, class_=f"head {row.kind}"),
        tag("text", row.text, x=X["agent"] + 7, y=y + 15.5, class_=f"words {row.kind}"),
    ]


def symbol(kind: str, x: float, y: float) -> Markup:
    """The mark of one kind of row."""
    if kind == "fault":
        points = f"{x:g},{y - 6.5:g} {x + 6.5:g},{y:g} {x:g},{y + 6.5:g} {x - 6.5:g},{y:g}"
        return tag("polygon", points=points, class_="mark fault")
    if kind == "again":
        ring = tag("circle", cx=x, cy=y, r=6.5, class_="mark again ring")
        return Markup(ring + tag("circle", cx=x, cy=y, r=3.5, class_="mark again"))
    if kind in {"effect", "late"}:
        return tag("circle", cx=x, cy=y, r=4.5, class_=f"mark {kind}")
    if kind == "error":
        cross = f"M{x - 4:g} {y - 4:g}l8 8m0 -8l-8 8"
        return tag("path", d=cross, class_="mark error")
    return tag("rect", x=x - 3.5, y=y - 3.5, width=7, height=7, class_="mark note")


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def legend() -> Markup:
    """What the marks mean."""
    marks = (
        ("fault", "a fault happens"),
        ("effect", "the world changes"),
        ("again", "it changes again in the same way"),
        ("late", "it changes late"),
        ("error", "the agent raises, or gives up"),
        ("note", "the agent answers, or marks a moment"),
    )
    shown = [
        tag("li", tag("svg", symbol(kind, 8, 8), width=16, height=16, aria_hidden="true"), words)
        for kind, words in marks
    ]
    return tag("ul", shown, tag("li", tag("span", "⇠", class_="bad"), "dashed: an error comes back"), class_="legend")
