"""Runs a function once a module has been imported: at once where it has been, else right after its body has run.

Knows no module by name, and imports none. The finder stands in front only while somebody waits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

Hook = Callable[[ModuleType], object]
Cancel = Callable[[], None]


def when_imported(name: str, hook: Hook) -> Cancel:
    """Call `hook(module)` once the module called `name` is there. The result takes the wish back."""
    module = sys.modules.get(name)
    if module is not None and not _is_being_imported(module):
        hook(module)
        return lambda: None
    return _FINDER.wait(name, hook)


def _is_being_imported(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


class _Finder:
    """Lets the others find a module, and wraps its loader where somebody waits for it."""

    def __init__(self) -> None:
        self._hooks: dict[str, list[Hook]] = {}
        self._busy = threading.local()

    def wait(self, name: str, hook: Hook) -> Cancel:
        """Keep a hook until its module comes, or its owner wants it back."""
        self._hooks.setdefault(name, []).append(hook)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)  # type: ignore[arg-type]  # it has what the import system asks for

        def cancel() -> None:
            hooks = self._hooks.get(name, [])
            if hook in hooks:
                hooks.remove(hook)
            self._rest(name)

        return cancel

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the others find, with a loader that calls the hooks; None for all that nobody waits for."""
        if not self._hooks.get(name) or getattr(self._busy, "name", None) == name:
            return None
        self._busy.name = name
        try:
            spec = find_spec(name)
        finally:
            self._busy.name = None
        if spec is None or spec.loader is None:
            return None
        spec.loader = _Telling(spec.loader, self)  # type: ignore[assignment]  # it passes everything else on
        return spec

    def imported(self, module: ModuleType) -> None:
        """A module has come."""
        hooks = self._hooks.pop(module.__name__, [])
        self._rest(module.__name__)
        for hook in hooks:
            hook(module)

    def _rest(self, name: str) -> None:
        if not self._hooks.get(name, True):
            del self._hooks[name]
        if not self._hooks and self in sys.meta_path:
            sys.meta_path.remove(self)  # type: ignore[arg-type]  # as above


class _Telling(Loader):
    """A loader that tells when its module is there; the module itself keeps the loader that it would have had."""

    def __init__(self, loader: Any, finder: _Finder) -> None:
        self._loader, self._finder = loader, finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.imported(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


_FINDER = _Finder()
