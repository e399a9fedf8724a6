"""What a failure is called, so that it has the same name in every run that shows it: where it was raised, and by what.

A property of the world is known by its own name and the line that asked for it, an assertion by its line, a crash by
its type and the last line of the user's own code. Values that differ from run to run are no part of it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType

from squall.errors import LimitReached, said
from squall.runs.result import leaves

LONGEST = 2000  # characters of a message
PROPERTIES = "squall.worlds.properties"
INSTALLED = ("site-packages", "dist-packages")


def identity_of(error: BaseException, status: str) -> str:
    """`at_most_once at test_refunds.py:31`, `AssertionError at …`, `TimeoutError at agent.py:20`, `hung`."""
    if status == "hung" or isinstance(error, LimitReached):
        return "hung"
    if isinstance(error, BaseExceptionGroup) and error.exceptions:
        return identity_of(error.exceptions[0], status)
    name, place = _property_and_place(error.__traceback__)
    named = name or type(error).__name__
    own = getattr(error, "identity", None)
    if isinstance(own, str):
        return own
    return f"{named} at {place}" if place else named


def property_of(error: BaseException) -> str:
    """The name of the world's property that an error comes from (`at_most_once`); "" where it comes from none."""
    return next((name for each in leaves(error) if (name := _property_and_place(each.__traceback__)[0])), "")


def words_of(error: BaseException) -> str:
    """What the failure says of itself."""
    text = writable(said(error))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def writable(text: str) -> str:
    """The text without half characters (surrogates), of which no file and no terminal can be told."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _property_and_place(trace: TracebackType | None) -> tuple[str, str]:
    """The property that raised, if one did, and the last line of the user's own code."""
    name = place = ""
    while trace is not None:
        frame = trace.tb_frame
        module = frame.f_globals.get("__name__", "")
        if module == PROPERTIES:
            name = name or frame.f_code.co_name
        elif _is_users(module, frame.f_code.co_filename):
            place = f"{Path(frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return name, place


def _is_users(module: str, file: str) -> bool:
    if module.partition(".")[0] in ("squall", "_squall_pytest", "_pytest", "pytest", "pluggy"):
        return False
    return not any(part in file for part in INSTALLED) and not file.startswith((sys.base_prefix + "/lib", "<"))
