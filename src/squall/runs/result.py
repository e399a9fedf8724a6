"""What a run came to, and what the exceptions that ended it say about that.

Knows pytest's own exceptions by their names alone, so that pytest is not imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from squall.errors import LimitReached, SquallError

if TYPE_CHECKING:
    from squall.trace import Trace

Status = Literal["passed", "failed", "crashed", "hung", "not_fired", "skipped"]
XFAIL = "XFailed"  # what pytest.xfail() raises
JUDGEMENTS = ("Failed", XFAIL)  # pytest.fail() raises the first
SKIPS = {"Skipped", "SkipTest"}  # what pytest.skip() and unittest raise


class RunResult(NamedTuple):
    """`errors` are those of the functions given to `finally_` and of the world's own code; `error` is the agent's.

    `not_fired` are sentences on rules that had to fire and did not; `trace` is None where none was kept; `drawn` tells
    whether the plan draws, `fired` how many faults happened, `notes` what was not as it should be about its time.
    """

    status: Status
    error: BaseException | None
    errors: tuple[BaseException, ...]
    not_fired: tuple[str, ...]
    trace: Trace | None
    drawn: bool
    fired: int
    notes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The run in one line, put together each time that somebody asks."""
        return "(not recorded)" if self.trace is None else self.trace.line()


def status_of(error: BaseException | None, errors: Sequence[BaseException] = ()) -> Status:
    """The glossary's word for how a run ended: by what ended the agent, and by what came up when the run was ended.

    A limit goes before all else; the agent's own error before what came up later; but whatever gives way hides nothing.
    """
    if any(_reaches_limit(each) for each in (error, *errors)):
        return "hung"
    deciding = first_deciding(error, errors)
    if deciding is None:
        return "passed"
    if is_skip(deciding):
        return "skipped"
    return "failed" if any(map(_judges, leaves(deciding))) else "crashed"


def first_deciding(error: BaseException | None, errors: Sequence[BaseException]) -> BaseException | None:
    """The error that decides over a run: the agent's own, then those in `errors`, but before any that gives way."""
    raised = [*([error] if error is not None else []), *errors]
    return next((each for each in raised if not gives_way(each)), next(iter(raised), None))


def is_skip(error: BaseException) -> bool:
    """Whether nothing but pytest.skip(), or unittest's, was raised."""
    return all(not SKIPS.isdisjoint(_names(each)) for each in leaves(error))


def gives_way(error: BaseException) -> bool:
    """Whether nothing but a skip or pytest.xfail() was raised: they end a test, and hide nothing that went wrong."""
    return all(not SKIPS.union({XFAIL}).isdisjoint(_names(each)) for each in leaves(error))


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions that a group holds (task groups raise nothing else), or the exception itself."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from leaves(each)
    else:
        yield error


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _judges(error: BaseException) -> bool:
    """Whether the error is a judgement on the agent or on the world's own code, and not the agent's own."""
    return isinstance(error, AssertionError | SquallError) or type(error).__name__ in JUDGEMENTS


def _reaches_limit(error: BaseException | None) -> bool:
    """Whether a limit is what was raised, or what that was raised from."""
    waiting, seen = [error], set[int]()  # exceptions can be their own causes
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        if isinstance(each, LimitReached):
            return True
        seen.add(id(each))
        waiting += [each.__cause__, *(each.exceptions if isinstance(each, BaseExceptionGroup) else ())]
    return False
