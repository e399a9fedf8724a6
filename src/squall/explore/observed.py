"""What came of one run, as far as a search needs to know it: where faults could happen, which did, how it ended.

Whoever runs things fills these in; nothing here runs anything or reads a trace.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from squall.decide import Point
from squall.explore.choice import Choice

Access = Literal["read", "write", ""]
Status = Literal["passed", "failed", "crashed", "hung", "not_fired", "skipped"]
BAD: tuple[Status, ...] = ("failed", "crashed", "hung")


class Seen(msgspec.Struct, frozen=True):
    """One place of a run where faults can happen.

    `place` is its order in the trace and `choices` the faults that make sense there. `state` is a digest of all that
    the agent has seen so far together with the world, and with the time where anything goes by it: runs that agree in
    point and state go on alike, and are judged alike. "": not known.
    """

    point: Point
    place: int
    access: Access = ""
    choices: tuple[Choice, ...] = ()
    state: str = ""


class Observed(msgspec.Struct, frozen=True):
    """One run.

    `failure` names what was violated (a property, a check, an assertion, the type of a crash) so that it is the same in
    every run that violates it, "" where nothing was; `message` is for people. `fired` are the faults of the schedule
    that really happened, in the order of the trace. `trace_digest` is the same for runs with the same trace, "" where
    that is not known. `marks` are the names of `sometimes` that were true at least once, `asked` all that were met.
    `effects` are how often the world was changed, None where that is not known. `spared` are faults of the schedule
    that found their call and could not happen there, with the reason.
    """

    status: Status
    failure: str = ""
    message: str = ""
    seen: tuple[Seen, ...] = ()
    fired: tuple[Choice, ...] = ()
    trace_digest: str = ""
    marks: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    tokens: int = 0
    effects: int | None = None
    spared: tuple[tuple[Choice, str], ...] = ()

    @property
    def bad(self) -> bool:
        """Whether this is something to report."""
        return self.status in BAD

    @property
    def what(self) -> str:
        """The identity of the failure; where nobody named it, the status."""
        return self.failure or self.status

    @property
    def ended(self) -> str:
        """How it ended, as the rest of a sentence: `passed`, `failed (at_most_once)`, `was skipped`."""
        how = {"not_fired": "did not meet its faults", "skipped": "was skipped"}.get(self.status, self.status)
        return f"{how} ({self.failure})" if self.failure else how
