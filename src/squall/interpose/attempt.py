"""One run of an operation, and what it comes to as a neutral `Outcome`: values, refusals, bugs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from squall.call import Outcome, Refused
from squall.errors import said

STATUS = {
    "arguments": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "conflict": 409,
    "invalid": 422,
}
INTERNAL = "Internal error"
FRAMES = 3
OWN = (Exception, SystemExit, GeneratorExit)  # what an operation's code raises; all else is the run's

OnBug = Callable[[BaseException], None]


def outcome_of(thunk: Callable[[], Any], on_bug: OnBug) -> Outcome:
    """Run `thunk`: its value, or what its exception comes to."""
    try:
        return Outcome("value", thunk())
    except OWN as error:  # sorted into refusals and bugs
        return failed(error, on_bug)


def failed(error: BaseException, on_bug: OnBug) -> Outcome:
    """A refusal is a clean error for the agent; anything else a plain internal one, handed to `on_bug` as well."""
    if isinstance(error, Refused):
        cause = error.__cause__
        detail = None if cause is None else story(cause)
        # a refusal for want of credentials is told with its status, as services do; what to do depends on it
        text = f"401 Unauthorized: {said(error)}" if error.reason == "unauthorized" else said(error)
        return Outcome("refused", error=text, status=STATUS.get(error.reason), detail=detail)
    on_bug(error)
    return Outcome("crashed", error=INTERNAL, status=500, detail=story(error))


def story(error: BaseException) -> str:
    """A traceback that reads the same on every machine: file names without folders, then the exception."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} in {code.co_name}")
        trace = trace.tb_next
    return " > ".join([*frames[-FRAMES:], f"{type(error).__name__}: {said(error)}"])
