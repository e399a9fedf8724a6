"""The failures of an exploration: the smallest schedule in words, a picture of its run, and how to replay it."""

from __future__ import annotations

from squall.reports.exploration import Failure, alike, choice_in_words, smallest
from squall.reports.page.lane_rows import rows_of
from squall.reports.page.markup import Markup, name, tag
from squall.reports.page.swim_lanes import picture
from squall.reports.page.unfolding import unfolding
from squall.reports.visible import payload, visible
from squall.reports.wording import counted
from squall.trace import Trace

LONGEST = 160
MESSAGE = 600
WHOLE = 3900
"""Characters of a line of a message that can be opened."""
LINES = 12
"""Lines of a message that are shown."""


def block(failure: Failure) -> Markup:
    """One failure."""
    kept = " An older file had it already." if failure.kept else ""
    told = f"It showed in {counted(failure.times, 'run')}.{kept}"
    faults = [tag("li", choice_in_words(choice, failure.calls)) for choice in failure.schedule]
    return tag(
        "article",
        tag("h3", name(failure.violated, LONGEST)),
        tag("p", tag("span", failure.status.replace("_", " "), class_="status"), " ", told, class_="which"),
        tag("ol", faults, class_="schedule") if faults else None,
        tag("p", smallest(failure)),
        unfolding("p", others, LONGEST, "muted") if (others := alike(failure)) else None,
        _message(failure),
        _picture(failure),
        *_again(failure),
        class_="failure",
    )


def _message(failure: Failure) -> Markup | None:
    lines = [line for line in failure.message.splitlines() if line.strip()]
    if not lines or (lines == [failure.violated] and len(failure.violated) <= LONGEST):
        return None
    shown = [unfolding("li", payload(line.strip(), WHOLE), MESSAGE) for line in lines[:LINES]]
    if len(lines) > LINES:
        shown.append(tag("li", f"and {counted(len(lines) - LINES, 'more line')}"))
    return tag("ul", shown, class_="reasons")


def _picture(failure: Failure) -> Markup:
    if not failure.lines:
        return tag("p", "There is no trace of this run, and so no picture.", class_="missing")
    rows = rows_of(Trace(list(failure.lines)))
    return picture(rows, f"The run as it went: {visible(failure.line, 400)}")


def _again(failure: Failure) -> list[Markup]:
    if not failure.replay:
        return [tag("p", "It was kept in no file.", class_="missing")]
    return [
        tag("p", "See it again, in the folder of this page:", class_="again muted"),
        tag("pre", tag("code", visible(failure.replay, 400)), tabindex="0"),
    ]
