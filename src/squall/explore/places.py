"""All places that any run of a search has shown, and which faults the search wants to try there.

Numbers choices, so that schedules are compared as short tuples of integers. What it holds does not depend on the order
in which runs are told to it, numbers apart. Knows no order of trials.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec.structs import replace

from squall.decide import Point
from squall.errors import nearest
from squall.explore.choice import Choice, Follows, Schedule, one_at_a_point
from squall.explore.observed import Seen

Key = tuple[int, ...]
"""A schedule as numbers of its choices, sorted: the same for the same faults in any order."""


class Cell(NamedTuple):
    """What a line of the coverage is about."""

    wire: str
    target: str
    kind: str
    phase: str


class Places:
    """Points with the faults that may be tried there, filtered by globs over the names of kinds and targets."""

    def __init__(
        self, kinds: Sequence[str] = (), targets: Sequence[str] = (), follows: Follows = one_at_a_point
    ) -> None:
        self.kinds, self.targets = tuple(kinds), tuple(targets)
        self._follows = follows
        self.left_out: set[tuple[str, str]] = set()  # targets and kinds that the filters take away
        self.revealed: set[Point] = set()
        self.repeatable = True
        self.cells: defaultdict[Cell, set[Point]] = defaultdict(set)
        self._choices: list[Choice] = []
        self._numbers: dict[Choice, int] = {}
        self._at: dict[Point, tuple[tuple[Choice, ...], Key]] = {}
        self._matches: dict[tuple[str, str], bool] = {}
        self._used: set[str] = set()
        self._baseline: set[Point] = set()
        self._usual: Counter[tuple[str, str, str]] = Counter()

    @property
    def calm(self) -> set[Point]:
        """The points of runs without faults."""
        return self._baseline

    def begin(self, *baselines: Iterable[Seen]) -> None:
        """The places of runs without faults: whatever comes to light later was not there without one."""
        for seen in baselines:
            ordinals = Counter(_lane(each.point) for each in seen if each.point.attempt == 1)
            self._usual |= ordinals
            self._baseline.update(each.point for each in seen)
            for each in seen:
                self.at(each)

    def note(self, seen: Iterable[Seen]) -> list[bool]:
        """Take in the places of a run; for each, whether only recovering leads there.

        That is a call that no run without faults makes. What a model is asked holds all that was said before, so that a
        fault changes each later question: of those only what goes beyond the usual number counts, and of all calls
        where runs are not `repeatable`, since then their arguments may be others each time.
        """
        ordinals: Counter[tuple[str, str, str]] = Counter()
        flags = []
        for each in seen:
            point = each.point
            counted = point.wire == "model" or not self.repeatable
            if counted and point.attempt == 1:
                ordinals[_lane(point)] += 1
            self.at(each)
            new = point not in self._baseline and (
                not counted or point.attempt > 1 or ordinals[_lane(point)] > self._usual[_lane(point)]
            )
            if new:
                self.revealed.add(point)
            flags.append(new)
        return flags

    def at(self, seen: Seen) -> Key:
        """The numbers of the faults to try at a place, in the order in which they were handed in."""
        found = self._at.get(seen.point)
        if found is None or (found[0] is not seen.choices and found[0] != seen.choices):
            return self._note(seen)
        return found[1]

    def after(self, here: Key, seen: Seen) -> Key:
        """Of the faults to try at a place, those that can follow the ones that are `here` already."""
        own = self.schedule(here)
        return tuple(
            number for number in self.at(seen) if all(self._follows(each, self._choices[number]) for each in own)
        )

    def key(self, schedule: Iterable[Choice]) -> Key:
        """The key of a schedule."""
        return tuple(sorted(map(self.number, schedule)))

    def number(self, choice: Choice) -> int:
        """The number of a choice, which stays the same for the rest of the search."""
        number = self._numbers.get(choice)
        if number is None:
            number = self._numbers[choice] = len(self._choices)
            self._choices.append(choice)
        return number

    def choice(self, number: int) -> Choice:
        """The choice with this number."""
        return self._choices[number]

    def schedule(self, numbers: Iterable[int]) -> Schedule:
        """The choices with these numbers, in the same order."""
        return tuple(self._choices[number] for number in numbers)

    def others(self, choice: Choice) -> Iterator[Choice]:
        """All that could be tried at the same call: at this point, at an earlier attempt, at an equal call before."""
        point = choice.point
        for nth in range(1, point.nth + 1):
            for attempt in range(1, point.attempt + 1):
                found = self._at.get(replace(point, nth=nth, attempt=attempt))
                if found is not None:
                    yield from self.schedule(found[1])

    def idle(self) -> list[str]:
        """The globs that no fault at any place has met."""
        return [pattern for pattern in (*self.kinds, *self.targets) if pattern not in self._used]

    def near(self) -> dict[str, str]:
        """For globs over targets that none has met: the target, or the part of it, that was probably meant."""
        there = {target for target, _ in self._matches}
        found = {}
        for pattern in self.targets:
            if pattern not in self._used:
                head, dot, end = pattern.rpartition(".")
                named = {f"{each.rpartition('.')[0]}.*" for each in there} if head and dot and end == "*" else there
                if close := nearest(pattern, sorted(named)):
                    found[pattern] = close
        return found

    def _note(self, seen: Seen) -> Key:
        wanted = [choice for choice in seen.choices if self._wants(choice)]
        numbers = tuple(map(self.number, wanted))
        self._at[seen.point] = seen.choices, numbers
        for choice in wanted:
            self.cells[cell_of(choice)].add(seen.point)
        return numbers

    def _wants(self, choice: Choice) -> bool:
        names = choice.point.target, choice.kind
        wants = self._matches.get(names)
        if wants is None:
            targets = [glob for glob in self.targets if fnmatchcase(names[0], glob)]
            kinds = [glob for glob in self.kinds if fnmatchcase(names[1], glob)]
            self._used.update(targets, kinds)
            wants = self._matches[names] = bool((targets or not self.targets) and (kinds or not self.kinds))
            if not wants:
                self.left_out.add(names)
        return wants


def cell_of(choice: Choice) -> Cell:
    """The line of the coverage that a choice belongs to."""
    return Cell(choice.point.wire, choice.point.target, choice.kind, choice.phase)


def _lane(point: Point) -> tuple[str, str, str]:
    return point.wire, point.scope, point.target
