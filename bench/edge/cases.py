"""What a case is, and the list of all of them. Knows no case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edge.stage import Stage

Play = Callable[[Stage], object]


@dataclass(frozen=True, eq=False)
class Case:
    """A case by its name. `expects` are squall's checks for it; none: a look-alike, on which nothing should fire.

    `policy` is what the project's policy file would say.
    """

    name: str
    expects: tuple[str, ...]
    play: Play
    policy: Mapping[str, Any] | None

    @property
    def is_failure(self) -> bool:
        """Whether the agent fails in it."""
        return bool(self.expects)

    @property
    def story(self) -> str:
        """What happens in it, in a line."""
        return " ".join((self.play.__doc__ or "").split())


CASES: list[Case] = []


def failure(*checks: str, policy: Mapping[str, Any] | None = None) -> Callable[[Play], Play]:
    """The decorated function plays a failure that these checks are there for."""
    return lambda play: _added(play, checks, policy)


def look_alike(*, policy: Mapping[str, Any] | None = None) -> Callable[[Play], Play]:
    """The decorated function plays an honest agent that looks like a failing one."""
    return lambda play: _added(play, (), policy)


def _added(play: Play, checks: tuple[str, ...], policy: Mapping[str, Any] | None) -> Play:
    name: str = play.__name__
    CASES.append(Case(name, checks, play, policy))
    return play
