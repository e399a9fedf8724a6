"""The scope that calls are made in: a name under which counters are kept apart. The default is the run, `""`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from squall.errors import Problem, UsageError, shown

NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
CURRENT: ContextVar[str] = ContextVar("squall_scope", default="")


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Calls made in this block (and in tasks started in it) are counted under `name`."""
    if not NAME.fullmatch(name):
        message = f"{shown(name)} is no name of a scope"
        raise UsageError(Problem(message, hint="Use 1 to 128 of letters, digits and _ . : -"))
    token = CURRENT.set(name)
    try:
        yield
    finally:
        CURRENT.reset(token)
