"""While a test runs again and again: each of its warnings is told once, and what only the collector sees fails no run.

Knows warnings, and those of pytest that hit whichever run goes on when garbage is collected.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

BY_CHANCE = (pytest.PytestUnraisableExceptionWarning, pytest.PytestUnhandledThreadExceptionWarning)
Tidy = Callable[[], None]


@contextmanager
def once_each() -> Iterator[Tidy]:
    """While the context lives warnings are held back; then each is told once. What it gives drops doubles so far."""
    with warnings.catch_warnings(record=True) as log:
        for category in BY_CHANCE:
            warnings.filterwarnings("always", category=category)
        known: set[tuple[object, ...]] = set()
        kept: list[warnings.WarningMessage] = []

        def tidy() -> None:
            for each in log:
                key = each.category, str(each.message), each.filename, each.lineno
                if key not in known:
                    known.add(key)
                    kept.append(each)
            log.clear()

        try:
            yield tidy
        finally:
            tidy()
    for each in kept:
        warnings.showwarning(each.message, each.category, each.filename, each.lineno)
