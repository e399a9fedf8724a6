"""What a check is: it reads a trace and gives one verdict over the whole run. It changes nothing and keeps nothing."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from squall.checks.options import Options
from squall.checks.verdict import Mode, Verdict, passed
from squall.trace import Trace


@runtime_checkable
class Check(Protocol):
    """`name` is in small letters and underscores; `default` is its mode where nobody says otherwise.

    Most begin with `story_of(trace)`, which all checks of a run share. One that can judge a run of which something was
    not seen says so by an attribute `despite_gaps = True`; for all others such a run is `unknown`.
    """

    name: str
    default: Mode

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge one run."""
        ...


class Noop:
    """A check that finds nothing: what a new one starts from."""

    name = "noop"
    default: Mode = "off"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Pass."""
        return passed(self.name)
