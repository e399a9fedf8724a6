"""Failures into files and back, and what it means when one is replayed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from squall.decide import Point
from squall.explore import Choice, Observed, Schedule
from squall.runs.exploring.details import Details
from squall.store import regressions
from squall.store.regressions import MOST_EVENTS, FaultAt, Regression
from squall.version import __version__

LINE = re.compile(r":\d+$")
How = Literal["reproduced", "diverged", "fault not fired", "passes now"]


class Replayed(NamedTuple):
    """What a replay came to. `words` say it in one sentence; `leniently` are faults that struck at another point.

    `line` is the run in one line, and `message` what is wrong in the words of what found it; "" where nobody asked.
    """

    how: How
    words: str
    leniently: tuple[str, ...] = ()
    line: str = ""
    message: str = ""


def regression_of(
    test: str,
    schedule: Schedule,
    observed: Observed,
    details: Details,
    how: str,
    *,
    digests: Mapping[str, str] | None = None,
    scenario: Mapping[str, Any] | None = None,
) -> Regression:
    """The failure as it is written down. In `how`, `FILE` stands for the path of the file."""
    return Regression(
        test=test,
        violated=observed.what,
        status=observed.status,
        message=observed.message,
        schedule=tuple(_fault(choice, details) for choice in schedule),
        how=how,
        seed=details.seed,
        run_index=details.run_index,
        line=details.line,
        head=details.head,
        digests={**details.digests, **(digests or {})},
        events=details.events[:MOST_EVENTS],
        squall=__version__,
        scenario=scenario or {},
    )


def keep(regression: Regression, folder: Path, shown: Path | None = None) -> tuple[Path, Regression]:
    """Write it, with the line that replays it; `shown` is how the folder is called in that line."""
    path = (shown or folder) / regression.file_name
    whole = msgspec.structs.replace(regression, how=regression.how.replace("FILE", path.as_posix()))
    return regressions.write(whole, folder), whole


def schedule_of(regression: Regression) -> Schedule:
    """The schedule to run again."""
    return tuple(
        Choice(_point(each), each.kind, each.phase, tuple(sorted(each.params.items()))) for each in regression.schedule
    )


def arrivals_of(regression: Regression) -> dict[Point, int]:
    """As which call of its target each fault struck, for a replay that is lenient."""
    return {_point(each): each.arrival for each in regression.schedule}


def moved(regression: Regression, met: Mapping[Point, Point]) -> Regression:
    """The failure with its faults at the points where they have been `met`."""
    faults = []
    for each in regression.schedule:
        point = met.get(_point(each), _point(each))
        faults.append(msgspec.structs.replace(each, scope=point.scope, digest=point.digest, nth=point.nth))
    return msgspec.structs.replace(regression, schedule=tuple(faults))


def compare(regression: Regression, observed: Observed, details: Details) -> Replayed:
    """What it means that a replay of the failure came out like this."""
    schedule = schedule_of(regression)
    leniently = tuple(dict.fromkeys(f"{point.target} #{point.nth}" for point in details.leniently))
    missing = [choice for choice in schedule if choice.point not in details.arrivals or not _fired(choice, observed)]
    if observed.bad and same(observed.what, regression.violated):
        differs = _difference(regression, details)
        but = f" (the trace differs from event {differs[0]} on)" if differs else ""
        return Replayed("reproduced", f"reproduced: {regression.violated}{but}", leniently)
    if missing:
        what = ", ".join(map(str, missing))
        ended = "nothing else is wrong" if observed.status == "not_fired" else f"the run {observed.ended}"
        return Replayed("fault not fired", f"fault not fired: {what}; {ended}", leniently)
    if not observed.bad:
        return Replayed("passes now", "passes now: all faults fired, and nothing was violated", leniently)
    place, expected, got = _difference(regression, details) or (len(details.lines), "", observed.ended)
    return Replayed("diverged", f"diverged at event {place} (expected {expected}, got {got})", leniently)


def same(one: str, other: str) -> bool:
    """Whether two names mean the same failure: lines move while code is edited."""
    return LINE.sub("", one) == LINE.sub("", other)


def _fired(choice: Choice, observed: Observed) -> bool:
    return choice in observed.fired


def _difference(regression: Regression, details: Details) -> tuple[int, str, str] | None:
    """The first event that is another one, counted from 1."""
    events = details.events[:MOST_EVENTS]
    for place, (expected, got) in enumerate(zip(regression.events, events, strict=False), start=1):
        if expected != got:
            return place, expected, got
    if len(regression.events) != len(events):
        shortest = min(len(regression.events), len(events))
        rest = [each[shortest] if len(each) > shortest else "the end" for each in (regression.events, events)]
        return shortest + 1, rest[0], rest[1]
    return None


def _fault(choice: Choice, details: Details) -> FaultAt:
    point = choice.point
    return FaultAt(
        kind=choice.kind,
        phase=choice.phase,
        wire=point.wire,
        target=point.target,
        digest=point.digest,
        nth=point.nth,
        arrival=details.arrivals.get(point, point.nth),
        attempt=point.attempt,
        scope=point.scope,
        params=dict(choice.params),
    )


def _point(each: FaultAt) -> Point:
    return Point(each.wire, each.scope, each.target, each.digest, each.nth, each.attempt)
