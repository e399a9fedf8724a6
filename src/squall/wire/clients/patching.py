"""Attributes that are replaced for a while and put back in the opposite order. Knows nothing of what they are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from types import ModuleType
from typing import Any

from squall.postimport import Cancel, when_imported

MISSING = object()


class Patches:
    """What one run has replaced."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._over = False

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute until `undo`."""
        before = owner.__dict__.get(name, MISSING)
        setattr(owner, name, value)
        self._undo.append(lambda: delattr(owner, name) if before is MISSING else setattr(owner, name, before))

    def with_module(self, name: str, patch: Callable[[ModuleType], None]) -> None:
        """Call `patch` with a module as soon as it is there."""
        cancel: Cancel = when_imported(name, lambda module: None if self._over else patch(module))
        self._undo.append(cancel)

    def undo(self) -> None:
        """Put everything back."""
        self._over = True  # for a module that a thread imports just now
        with ExitStack() as stack:  # which goes on to the next, whatever one of them raises
            while self._undo:
                stack.callback(self._undo.pop(0))
