"""What a check is: it reads a trace and gives one verdict over the whole run. It changes nothing and keeps nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

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


@runtime_checkable
class Particular(Protocol):
    """What a check may have beside: options of its own, `[tool.squall.NAME]` in `pyproject.toml`.

    It finds them in `options.extra[name]`; those that it says something against end the session.
    """

    def misfits(self, said: Mapping[str, Any]) -> Iterable[str]:
        """What is wrong with its options, each in words; nothing where they are right."""
        ...


class Noop:
    """A check that finds nothing: what a new one starts from."""

    name = "noop"
    default: Mode = "off"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Pass."""
        return passed(self.name)
