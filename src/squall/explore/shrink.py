"""Makes a failing schedule smaller, and then plainer, for as long as the same failure stays.

First fewer faults (delta debugging: whole parts are left out, then single faults), then for each fault what is simpler
in its place, and then fewer again, until nothing changes. (Zeller and Hildebrandt, "Simplifying and isolating
failure-inducing input", 2002.) Runs nothing: it yields what to run next and is sent whether the failure was there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from itertools import pairwise

import msgspec

from squall.explore.choice import Choice, Follows, Schedule, one_at_a_point

Simpler = Callable[[Choice], Iterable[Choice]]
InPlace = Callable[[Schedule, int], Iterable[Schedule]]
Steps = Generator[Schedule, bool, Schedule]


class Shrunk(msgspec.Struct, frozen=True):
    """The smallest schedule found, after so many `runs`.

    `minimal`: each schedule with one fault less was run, and none of them failed so (for a single fault that is the run
    without faults, which whoever began must have seen). `plain`: the same for each simpler fault in place of one.
    """

    schedule: Schedule
    runs: int
    minimal: bool
    plain: bool


class _Spent(Exception):
    """There may be no more runs."""


class _Asked:
    """What has been asked, so that nothing is run twice, and the best that failed."""

    def __init__(self, best: Schedule, most: int | None) -> None:
        self.best = best
        self.runs = 0
        self._most = most
        self._answers = {frozenset(best): True}

    def fails(self, schedule: Schedule) -> Generator[Schedule, bool, bool]:
        """Whether a schedule fails in the same way; run unless that is known."""
        key = frozenset(schedule)
        known = self._answers.get(key)
        if known is None:
            if self.runs == self._most:
                raise _Spent
            self.runs += 1
            known = self._answers[key] = yield schedule
        if known:
            self.best = schedule
        return known

    def is_known_to_pass(self, schedule: Schedule) -> bool:
        """Whether it was run and did not fail in the same way."""
        return not schedule or self._answers.get(frozenset(schedule)) is False


def nothing_simpler(_choice: Choice) -> Iterable[Choice]:
    """For faults that stay as they are."""
    return ()


def shrink(
    schedule: Schedule,
    simpler: Simpler = nothing_simpler,
    *,
    most: int | None = None,
    follows: Follows = one_at_a_point,
) -> Generator[Schedule, bool, Shrunk]:
    """Shrink a schedule that fails, in at most so many runs.

    Yields schedules to run and is sent whether the same failure was there; returns what it came to. `schedule` are the
    faults that fired. `simpler` gives what to try in place of a fault, the simplest first; no chain of these may come
    back to where it began. `follows` says which faults can be together at one point.
    """
    asked = _Asked(schedule, most)

    def in_place(whole: Schedule, place: int) -> Iterable[Schedule]:
        return _in_place(whole, place, simpler, follows)

    try:
        small = yield from _fewer(schedule, asked)
        while (plainer := (yield from _plainer(small, in_place, asked))) != small:
            small = yield from _fewer(plainer, asked)
    except _Spent:
        pass
    best = asked.best
    return Shrunk(
        best,
        asked.runs,
        minimal=all(asked.is_known_to_pass(shorter) for shorter in _without_one(best)),
        plain=all(asked.is_known_to_pass(other) for place in range(len(best)) for other in in_place(best, place)),
    )


def _fewer(schedule: Schedule, asked: _Asked) -> Steps:
    """Leave out parts, half of the faults at first and single ones in the end, until none can be left out."""
    parts = 2
    while len(schedule) > 1:
        for begin, end in _cuts(len(schedule), parts):
            rest = schedule[:begin] + schedule[end:]
            if (yield from asked.fails(rest)):
                schedule, parts = rest, min(max(parts - 1, 2), max(len(rest), 2))
                break
        else:
            if parts == len(schedule):
                break
            parts = min(2 * parts, len(schedule))
    return schedule


def _plainer(schedule: Schedule, in_place: InPlace, asked: _Asked) -> Steps:
    """Put something simpler in the place of each fault, for as long as that goes."""
    place = 0
    while place < len(schedule):
        for other in in_place(schedule, place):
            if (yield from asked.fails(other)):
                schedule = other
                break
        else:
            place += 1
    return schedule


def _in_place(schedule: Schedule, place: int, simpler: Simpler, follows: Follows) -> Iterable[Schedule]:
    others = (*schedule[:place], *schedule[place + 1 :])
    for choice in simpler(schedule[place]):
        here = (each for each in others if each.point == choice.point)
        if all(follows(each, choice) or follows(choice, each) for each in here):
            yield (*schedule[:place], choice, *schedule[place + 1 :])


def _without_one(schedule: Schedule) -> Iterable[Schedule]:
    return (schedule[:place] + schedule[place + 1 :] for place in range(len(schedule)))


def _cuts(length: int, parts: int) -> list[tuple[int, int]]:
    edges = [length * part // parts for part in range(parts + 1)]
    return list(pairwise(edges))
