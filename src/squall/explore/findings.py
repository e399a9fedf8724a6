"""What a search has found: failures by what they violate, each with the smallest schedule that shows it.

Does not depend on the order in which runs are reported.
"""

from __future__ import annotations

import msgspec

from squall.explore.choice import Choice, Schedule
from squall.explore.observed import Observed, Status


class Finding(msgspec.Struct, frozen=True):
    """One failure.

    `schedule` are the faults that fired in the smallest run that showed it (of equals the first), `trial` the number of
    that run (0 for one without faults) and `message` what it said; `first` is the number of the first run that showed
    it, `times` in how many it showed. `alike` are other faults that show it alone, where `schedule` is one fault.
    """

    failure: str
    status: Status
    message: str
    schedule: Schedule
    trial: int
    first: int
    times: int = 1
    alike: tuple[Choice, ...] = ()


class Findings:
    """Collects them."""

    def __init__(self) -> None:
        self._found: dict[str, Finding] = {}
        self._alone: dict[str, dict[int, Choice]] = {}  # by failure and trial, the one fault that showed it

    def take(self, trial: int, observed: Observed) -> None:
        """Take in a run that has failed."""
        new = Finding(observed.what, observed.status, observed.message, observed.fired, trial, trial)
        old = self._found.get(observed.what)
        if old is not None:
            smaller = min(old, new, key=lambda each: (len(each.schedule), each.trial))
            new = msgspec.structs.replace(smaller, first=min(old.first, trial), times=old.times + 1)
        self._found[observed.what] = new
        if len(observed.fired) == 1:
            self._alone.setdefault(observed.what, {})[trial] = observed.fired[0]

    def all(self) -> list[Finding]:
        """In the order in which a search with one worker finds them."""
        found = sorted(self._found.values(), key=lambda each: (each.first, each.failure))
        return [msgspec.structs.replace(each, alike=self._alike(each)) for each in found]

    def _alike(self, finding: Finding) -> tuple[Choice, ...]:
        if len(finding.schedule) != 1:
            return ()
        alone = self._alone[finding.failure]
        return tuple(choice for _, choice in sorted(alone.items()) if choice != finding.schedule[0])

    def __len__(self) -> int:
        return len(self._found)
