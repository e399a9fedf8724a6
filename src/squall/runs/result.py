"""What a run came to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

Status = Literal["passed", "failed", "crashed", "hung", "not_fired", "skipped"]
# What pytest.fail() and pytest.xfail() raise, known by name so that pytest is not imported.
JUDGEMENTS = ("Failed", "XFailed")


class RunResult(NamedTuple):
    """`errors` are those of the functions given to `finally_` and of the world's own code; `error` is the agent's.

    `not_fired` are sentences on rules that had to fire and did not; `line` is the run in one line; `drawn` tells
    whether the plan draws, `fired` how many faults happened, `notes` what was not as it should be about its time.
    """

    status: Status
    error: BaseException | None
    errors: tuple[BaseException, ...]
    not_fired: tuple[str, ...]
    line: str
    drawn: bool
    fired: int
    notes: tuple[str, ...] = ()


def judged(error: BaseException | None) -> Status | None:
    """What an exception that ended the agent says about the run; None where there was none."""
    if error is None:
        return None
    return "failed" if any(isinstance(each, AssertionError) or _named(each) for each in _leaves(error)) else "crashed"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions that a group holds (task groups raise nothing else), or the exception itself."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _named(error: BaseException) -> bool:
    return type(error).__name__ in JUDGEMENTS
