"""Attributes of other people's classes that are replaced, and put back. Knows nothing of what they are."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from squall.postimport import when_imported

MISSING = object()


class Patches:
    """What has been replaced, and what will be as soon as its module is there. `failures` says what could not be."""

    def __init__(self, failures: list[str] | None = None) -> None:
        self._undo: list[Callable[[], object]] = []
        self.failures: list[str] = [] if failures is None else failures

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute until `undo`. What somebody else has put over it since then stays."""
        before = owner.__dict__.get(name, MISSING)
        setattr(owner, name, value)

        def undo() -> None:
            if owner.__dict__.get(name) is not value:
                return
            if before is MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.append(undo)

    def with_module(self, name: str, patch: Callable[[Patches, ModuleType], None]) -> None:
        """Call `patch` with a module as soon as it is there. An SDK that has changed too much is left alone."""

        def apply(module: ModuleType) -> None:
            try:
                patch(self, module)
            except Exception as error:  # noqa: BLE001 - the import of an SDK must not fail for what we want of it
                self.failures.append(f"the hook on {name}: {type(error).__name__}: {error}")

        self._undo.append(when_imported(name, apply))

    def undo(self) -> None:
        """Put everything back."""
        while self._undo:
            self._undo.pop()()
