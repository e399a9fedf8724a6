"""Parts of how a run ends: what functions return, the bugs of the world's own code.

Knows no trace and no status.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import isawaitable
from pathlib import Path
from typing import Any

from squall.errors import SquallError, UsageError, said
from squall.interpose.promises import to_its_end
from squall.worlds.services.handling import BadAnswer

MOST_SHOWN = 5
RAISE_IT = (
    "Limits stand in a plan (limits: {seconds: 2h, calls: 5000}), the marker (faults(…, limits={…}) or "
    "squall.world(…, limits={…})."
)


class HandlerBug(SquallError):
    """A handler of the world raised what no handler should. The agent saw a plain internal error."""


class BrainBug(SquallError):
    """The model's brain raised what no brain should. The agent saw an error of the provider's."""


class Nowhere:
    """The service of a run without a world: it has no operations, so nothing ever reaches it."""

    revision = 0

    def __getattr__(self, name: str) -> Any:
        raise UsageError(f"this run has no world, so there is nothing to {name}")


def ended(value: Any) -> None:
    """A function given to `finally_` may be `async def`: what it returned is run to its end."""
    if value is not None and isawaitable(value):  # most return nothing; to ask takes longer

        async def whole() -> None:
            await value

        to_its_end(whole())


def bugs(found: Sequence[tuple[str, BaseException]]) -> list[BaseException]:
    """Each bug once, however many calls it hit."""
    bugs: dict[str, BaseException] = {}
    for tool, error in found:
        what = error.what if isinstance(error, BadAnswer) else f"raised {type(error).__name__}: {said(error)}"
        text = f"the handler of {tool} {what}{_where(error)}"
        bug: SquallError = HandlerBug(text)
        bug.__cause__ = error
        if isinstance(error, SquallError):
            bug = error
        bugs.setdefault(str(bug), bug)
    return list(bugs.values())


def astray(found: Sequence[BaseException]) -> list[BaseException]:
    """What fails a run on the model's side, each once, however often the agent tried.

    What no code but squall's own has raised stays as it is: a brain had no part in it.
    """
    failures: dict[str, BaseException] = {}
    for error in found:
        failure, where = error, _where(error)
        if where and isinstance(error, Exception) and not isinstance(error, SquallError):
            failure = BrainBug(f"the model's brain raised {type(error).__name__}: {said(error)}{where}")
            failure.__cause__ = error
        failures.setdefault(str(failure), failure)
    return list(failures.values())


def _where(error: BaseException) -> str:
    """The last line of the traceback that is not ours: ` (hotel_rules.py:5 in confirm)`."""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not trace.tb_frame.f_globals.get("__name__", "").startswith("squall."):
            found = f" ({Path(code.co_filename).name}:{trace.tb_lineno} in {code.co_name})"
        trace = trace.tb_next
    return found


def tell_limit(error: BaseException, why: str, waiting: Sequence[str]) -> None:
    """Tell on the exception that ended a run at a limit what the run was waiting for, and how the limit is raised."""
    if why != said(error):
        error.add_note(f"In this run, {why}.")
    error.add_note("".join(f"Still waiting: {call}.\n" for call in waiting[:MOST_SHOWN]) + RAISE_IT)
