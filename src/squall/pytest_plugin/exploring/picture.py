"""A run as a picture in text: lanes for the agent, the model, the tools and the world, and what went between them.

Fits 80 columns. Knows how to lay out text; which rows a run has, and in which words, is known in `squall.reports`.
"""

from __future__ import annotations

from collections.abc import Sequence

from squall.reports.page.lane_rows import Lane, Row, rows_of
from squall.reports.wording import counted, seconds
from squall.trace import Trace

LANES: tuple[Lane, ...] = ("agent", "model", "tools", "world")
WIDE = 7  # columns of a lane
MOST = 30  # rows; of more, the first and the last are shown
HEAD, TAIL = 18, 11
GAP = "  "
LINE, ACROSS, RIGHT, LEFT = "│", "─", ">", "<"
SIGNS = {"fault": "✗", "error": "✗", "effect": "●", "again": "●", "late": "●", "fold": "⋮", "end": "■"}
NOTE = "·"


def drawn(trace: Trace, ended: str = "") -> list[str]:
    """The lines of the picture, the names of its lanes first.

    `ended` is how the run ended, where others than itself have judged it: its test's own assertions, or checks.
    """
    rows = _short(rows_of(trace, MOST))
    if ended:
        rows = [row._replace(text=f"the run ends: {ended}") if row.kind == "end" else row for row in rows]
    used = {lane for row in rows for lane in (row.lane, row.to)}
    lanes = [lane for lane in LANES if lane in used or lane != "model"]
    times = _times(rows)
    wide = max(map(len, times), default=0)
    head = " " * wide + GAP + "".join(lane.center(WIDE) for lane in lanes)
    lines = [f"{time.rjust(wide)}{GAP}{_lanes(row, lanes)}{row.text}" for time, row in zip(times, rows, strict=True)]
    return [each.rstrip() for each in (head, *lines)]


def _short(rows: list[Row]) -> list[Row]:
    if len(rows) <= MOST:
        return rows
    fold = Row(rows[HEAD].t, "fold", "agent", None, f"{counted(len(rows) - HEAD - TAIL, 'row')} left out")
    return [*rows[:HEAD], fold, *rows[-TAIL:]]


def _times(rows: Sequence[Row]) -> list[str]:
    """When each row was, said where it is another time than before."""
    told = [seconds(row.t) for row in rows]
    return [time if time != before else "" for time, before in zip(told, ["", *told], strict=False)]


def _lanes(row: Row, lanes: Sequence[Lane]) -> str:
    middle = {lane: place * WIDE + WIDE // 2 for place, lane in enumerate(lanes)}
    cells = [" "] * (len(lanes) * WIDE)
    for place in middle.values():
        cells[place] = LINE
    at = middle[row.lane]
    if row.to is None or row.to == row.lane:
        cells[at] = SIGNS.get(row.kind, NOTE)
        return "".join(cells)
    to = middle[row.to]
    step = 1 if to > at else -1
    cells[at] = "├" if step > 0 else "┤"
    for place in range(at + step, to, step):
        cells[place] = ACROSS
    cells[to - step] = RIGHT if step > 0 else LEFT
    return "".join(cells)
