"""Runs a function once a module has been imported: at once where it has been, else right after its body has run.

Knows no module by name, and imports none. The finder stands in front only while somebody waits; whom it finds is found
by the finders behind it, and loaded by the loader they gave. A namespace package has no body, so nobody is told of it;
nor is anybody told of a module that is reloaded, or comes anew after it was taken out of `sys.modules`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Hook = Callable[[ModuleType], object]
Cancel = Callable[[], None]


def when_imported(name: str, hook: Hook) -> Cancel:
    """Call `hook(module)` once the module called `name` is there. The result takes the wish back.

    What a hook raises is raised here where the module is there already. Later it must not break somebody's import: it
    goes to `threading.excepthook`, which pytest makes a warning of. If the import fails, the hook waits for the next.
    """
    cancel = _FINDER.wait(name, hook)
    module = sys.modules.get(name)
    if module is not None and _is_being_imported(module):
        module = import_module(name)  # waits for a thread that is at it; in the same thread it comes back at once
    if module is not None and not _is_being_imported(module) and _FINDER.forget(name, hook):
        hook(module)
    return cancel


def _is_being_imported(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


class _Finder:
    """Lets the others find a module, and wraps its loader where somebody waits for it."""

    def __init__(self) -> None:
        self._hooks: dict[str, list[Hook]] = {}
        self._lock = threading.RLock()

    def wait(self, name: str, hook: Hook) -> Cancel:
        """Keep a hook until its module comes, or its owner wants it back."""
        with self._lock:
            self._hooks.setdefault(name, []).append(hook)
            if sys.meta_path[:1] != [self]:  # somebody may have come before it since
                sys.meta_path = [self, *self._others()]
        return partial(self._cancel, name, hook)

    def _cancel(self, name: str, hook: Hook) -> None:
        self.forget(name, hook)

    def forget(self, name: str, hook: Hook) -> bool:
        """Keep it no longer. Whether it was still waiting."""
        with self._lock:
            hooks = self._hooks.get(name, [])
            waiting = hook in hooks
            if waiting:
                hooks.remove(hook)
            self._rest(name)
            return waiting

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the others find, with a loader that calls the hooks; None for all that nobody waits for."""
        if name not in self._hooks:
            return None
        for finder in self._others():
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find is not None else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Telling(spec.loader, self)
                return spec
        return None

    def imported(self, module: ModuleType) -> None:
        """A module has come."""
        name = module.__name__
        while hook := self._next(name):
            try:
                hook(module)
            except Exception as error:  # noqa: BLE001 - of whoever wanted to know; not of whoever imports
                told = (type(error), error, error.__traceback__, threading.current_thread())
                threading.excepthook(threading.ExceptHookArgs(told))

    def _next(self, name: str) -> Hook | None:
        with self._lock:
            hooks = self._hooks.get(name, [])
            hook = hooks.pop(0) if hooks else None
            self._rest(name)
            return hook

    def _rest(self, name: str) -> None:
        if not self._hooks.get(name, True):
            del self._hooks[name]
        if not self._hooks and self in sys.meta_path:
            sys.meta_path = self._others()

    def _others(self) -> list[Any]:
        """A new list: an import in another thread may be going through the old one."""
        return [finder for finder in sys.meta_path if finder is not self]


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
