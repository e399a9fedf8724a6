"""Faults that were planned and have not happened, with the reason of each, and how they are told.

A fault at a model that has found its request, and could change nothing of the reply, cannot happen there: where runs
are repeatable it is no part of what there is to try. Knows no run but by what was observed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from squall.errors import counted
from squall.explore.calls import Calls, place_in_words
from squall.explore.choice import Choice
from squall.explore.observed import Observed
from squall.explore.places import Key, Places

MOST = 20
"""Places with a reason that are named."""
NOT_MADE, OTHERS = "the call was not made", "no call was the same"


class Unfired:
    """Collects them. `impossible` are schedules that cannot happen, as far as runs are repeatable."""

    def __init__(self) -> None:
        self.impossible: set[Key] = set()
        self._why: dict[int, tuple[Key, str]] = {}  # by choice, the first schedule of which it was missing

    def take(self, observed: Observed, key: Key, fired: set[int], places: Places) -> None:
        """Take in a run whose faults have not all happened."""
        missing = [number for number in key if number not in fired]
        why = dict(observed.spared)
        met = {each.point for each in observed.seen}
        for number in missing:
            choice = places.choice(number)
            absent = "" if choice.point in met else NOT_MADE if places.repeatable else OTHERS
            if number not in self._why or _size(key) < _size(self._why[number][0]):
                self._why[number] = key, why.get(choice, absent)
        spared = [places.choice(number) for number in missing]
        if spared and all(each.point.wire == "model" and each in why for each in spared):
            self.impossible.add(key)

    def named(self, keys: Iterable[Key], places: Places, calls: Calls) -> str:
        """The faults that were missing in these schedules, place by place, each with its reason."""
        numbers = sorted({number for key in keys for number in key if number in self._why})
        groups: dict[tuple[str, str], dict[str, None]] = {}
        for number in numbers:
            choice = places.choice(number)
            place = place_in_words(choice.point, calls)
            groups.setdefault((place, self._why[number][1]), {})[_kind(choice)] = None
        told = [
            f"{_listed(list(kinds))} at {place}{f' ({why})' if why else ''}" for (place, why), kinds in groups.items()
        ]
        rest = len(told) - MOST
        return "; ".join(told[:MOST]) + (f"; and at {counted(rest, 'more place')}" if rest > 0 else "")


def _size(key: Key) -> tuple[int, Key]:
    return len(key), key


def _kind(choice: Choice) -> str:
    phase = [choice.phase] if choice.point.wire == "tool" else []
    told = ", ".join([*phase, *(f"{name} {value}" for name, value in choice.params)])
    return f"{choice.kind} ({told})" if told else choice.kind


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
