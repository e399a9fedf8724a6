"""What a search has found: failures by what they violate, each with the smallest schedule that shows it.

Does not depend on the order in which runs are reported.
"""

from __future__ import annotations

import msgspec

from squall.explore.choice import Schedule
from squall.explore.observed import Observed, Status


class Finding(msgspec.Struct, frozen=True):
    """One failure.

    `schedule` are the faults that fired in the smallest run that showed it (of equals the first), `trial` the number of
    that run (0 for one without faults) and `message` what it said; `first` is the number of the first run that showed
    it, `times` in how many it showed.
    """

    failure: str
    status: Status
    message: str
    schedule: Schedule
    trial: int
    first: int
    times: int = 1


class Findings:
    """Collects them."""

    def __init__(self) -> None:
        self._found: dict[str, Finding] = {}

    def take(self, trial: int, observed: Observed) -> None:
        """Take in a run that has failed."""
        new = Finding(observed.what, observed.status, observed.message, observed.fired, trial, trial)
        old = self._found.get(observed.what)
        if old is not None:
            smaller = min(old, new, key=lambda each: (len(each.schedule), each.trial))
            new = msgspec.structs.replace(smaller, first=min(old.first, trial), times=old.times + 1)
        self._found[observed.what] = new

    def all(self) -> list[Finding]:
        """In the order in which a search with one worker finds them."""
        return sorted(self._found.values(), key=lambda each: (each.first, each.failure))

    def __len__(self) -> int:
        return len(self._found)
