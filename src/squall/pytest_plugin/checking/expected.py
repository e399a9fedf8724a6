"""What a test expects to be raised: an error that `pytest.raises` or unittest's `assertRaises` caught left the agent.

Marks it in the run that goes on. Knows where pytest and unittest catch errors; what checks make of it is theirs.
"""

from __future__ import annotations

import unittest.case
from collections.abc import Callable
from functools import wraps
from typing import Any

from squall.capture.current import current
from squall.checks.story.reading import EXPECTED
from squall.errors import said
from squall.trace.kinds import Mark

CATCHERS = ("RaisesExc", "RaisesGroup")  # of `_pytest.raises`; both since pytest 8.4
UNITTESTS = ("_AssertRaisesContext",)
MOST_CAUSES = 8


def watch() -> Callable[[], None]:
    """Watch all that catches errors for a test. The result puts them back."""
    from _pytest import raises  # it has no public name; where it has moved, nothing is watched

    kinds = [getattr(raises, name, None) for name in CATCHERS]
    kinds += [getattr(unittest.case, name, None) for name in UNITTESTS]
    patched: list[tuple[Any, Any]] = []
    for kind in filter(None, kinds):
        patched.append((kind, vars(kind).get("__exit__")))
        kind.__exit__ = _telling(kind.__exit__)

    def undo() -> None:
        for kind, original in patched:
            if original is None:
                del kind.__exit__
            else:
                kind.__exit__ = original

    return undo


def _telling(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def exit_(self: Any, kind: Any, error: Any, trace: Any) -> Any:
        __tracebackhide__ = True
        caught = original(self, kind, error, trace)
        if caught and isinstance(error, BaseException) and (capture := current()) is not None:
            capture.guard("an expected error", lambda: capture.recorder.record(_mark(error)))
        return caught

    return exit_


def _mark(error: BaseException) -> Mark:
    return Mark(name=EXPECTED, data={"error": in_words(error)})


def in_words(error: BaseException) -> str:
    """Type and text, with those of its causes."""
    told: list[str] = []
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen and len(told) < MOST_CAUSES:
        seen.add(id(each))
        told.append(f"{type(each).__name__}: {said(each)}")
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    return ", from ".join(told)
