"""One generation of a search: all schedules with one fault more than the runs that it grows from, in order of promise.

A fault is added only where the run that already holds the others still had places to come, so that each set of faults
comes up once, and calls that only recovery makes are found. What a run at the same point in the same state has shown
already is left out. Knows no results but those it grows from, and runs nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from squall.canonical import digest, integer, plain, uniform
from squall.decide import Point
from squall.explore.observed import Seen
from squall.explore.places import Key, Places

AFTER_THE_EFFECT = ("after", "late")
FIRST_DRAWN = 3  # schedules of so many faults or more are drawn where not all of them can be run

EFFECT, REVEALED, NEXT, DRAWN = (
    "an effect may be there although the caller cannot know",
    "a call that only recovering makes",
    "the next in the trace",
    "drawn",
)


class Parent(NamedTuple):
    """A run to grow from: its faults in the order of the trace, and the places after the last of them.

    `revealed` says which of these only recovering leads to. Where more can happen at the place of the last, that is the
    first of them, and `here` are the faults that are there.
    """

    schedule: Key
    seen: Sequence[Seen]
    revealed: Sequence[bool]
    here: Key = ()


class Place(NamedTuple):
    """A place in a run to grow from where faults are to be tried."""

    parent: Parent
    seen: Seen
    revealed: bool
    choices: Key


class Candidate(NamedTuple):
    """A schedule that may be run, its choices in the order of the trace."""

    order: tuple[float, ...]
    schedule: Key
    why: str


class Generation:
    """All schedules of `faults` faults, and which of them are to be run.

    `keys` are those that are run, in this generation or before it. `stand_ins` has an entry for each schedule that was
    left out: the one whose run shows all that its own would have shown. `behind` counts those that nobody tries since
    the faults they begin with fail by themselves.
    """

    def __init__(self, faults: int) -> None:
        self.faults = faults
        self.keys: list[Key] = []
        self.possible = 0
        self.stand_ins: list[Key] = []
        self.drawn = False
        self.behind = 0

    @property
    def cut(self) -> bool:
        """Whether some are neither run nor left out with a reason."""
        return len(self.keys) + len(self.stand_ins) < self.possible


class Grower:
    """Grows generations, and remembers over all of them what has been tried where."""

    def __init__(self, places: Places, *, prune: bool, seed: int) -> None:
        self._places, self.prune, self._seed = places, prune, seed
        self._tried: dict[tuple[Point, str, Key], Key] = {}
        self._tokens: dict[int, int] = {}

    def grow(
        self, generation: Generation, parents: Sequence[Parent], known: set[Key], room: int | None
    ) -> list[Candidate]:
        """What to run of a generation, in order: at most `room` schedules, of those not `known` yet."""
        places = [place for parent in parents for place in self._open(parent, generation)]
        count = sum(len(place.choices) for place in places)
        scarce = room is not None and count > room
        generation.drawn = scarce and generation.faults >= FIRST_DRAWN
        found = self._candidates(generation, places, known)
        # Of many only the few to run are kept; one more than none, since for none nothing would be counted.
        chosen = heapq.nsmallest(max(room, 1), found)[:room] if scarce and room is not None else sorted(found)
        generation.keys.extend(tuple(sorted(each.schedule)) for each in chosen)
        return chosen

    def behind(self, parent: Parent) -> int:
        """How many faults there are to try on top of a run."""
        return sum(len(choices) for _, _, _, choices in self._places_of(parent))

    def _places_of(self, parent: Parent) -> Iterator[tuple[Seen, bool, Key, Key]]:
        """The places of a run, each with the faults that are there already and those to try."""
        here = parent.here
        for seen, revealed in zip(parent.seen, parent.revealed, strict=True):
            yield seen, revealed, here, self._places.after(here, seen) if here else self._places.at(seen)
            here = ()

    def _open(self, parent: Parent, generation: Generation) -> Iterator[Place]:
        """The places of a run where nothing equal has been tried."""
        for seen, revealed, here, choices in self._places_of(parent):
            if not choices:
                continue
            if self.prune and seen.state:
                key = seen.point, seen.state, here
                before = self._tried.setdefault(key, parent.schedule)
                if before != parent.schedule:
                    generation.stand_ins.extend(tuple(sorted((*before, number))) for number in choices)
                    generation.possible += len(choices)
                    continue
            yield Place(parent, seen, revealed, choices)

    def _candidates(self, generation: Generation, places: Sequence[Place], known: set[Key]) -> Iterator[Candidate]:
        met: set[Key] = set()
        serial = 0
        for parent, seen, revealed, choices in places:
            for number in choices:
                schedule = (*parent.schedule, number)
                key = tuple(sorted(schedule))
                if key in met:
                    continue
                met.add(key)
                generation.possible += 1
                if key in known:
                    generation.keys.append(key)
                    continue
                serial += 1
                if generation.drawn:
                    yield Candidate((self._draw(schedule), serial), schedule, DRAWN)
                    continue
                choice = self._places.choice(number)
                effect = seen.access == "write" and choice.phase in AFTER_THE_EFFECT
                promise = 2 * revealed + effect
                why = REVEALED if revealed else EFFECT if effect else NEXT
                yield Candidate((-promise, serial), schedule, why)

    def _draw(self, schedule: Key) -> float:
        """A number that depends on the faults alone: not on their order, nor on what else there is to draw."""
        tokens = sorted(map(self._token, schedule))
        return uniform(self._seed, "explore", *tokens)

    def _token(self, number: int) -> int:
        token = self._tokens.get(number)
        if token is None:
            choice = self._places.choice(number)
            params = digest(plain(choice.params))
            token = self._tokens[number] = integer(*choice.point.key, choice.kind, choice.phase, params)
        return token
