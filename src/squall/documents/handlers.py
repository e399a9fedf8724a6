"""Finds the Python function that a file names as `module.func`: beside the file, in its parent folder, or installed.

Loading a handler runs the code of its module. Knows no world and calls no handler.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from squall.documents import modules
from squall.errors import Position, Problem, UsageError, is_weather, nearest, shown

__tracebackhide__ = is_weather

_MAX_TEXT = 300


class _Source(NamedTuple):
    """A module that a reference could mean, and how to load it."""

    name: str
    file: Path | None
    load: Callable[[], ModuleType]


def load_handler(reference: str, near: Path | str, *, at: Position | None = None) -> Callable[..., Any]:
    """The function that `reference` (`module.func`, `package.module.func`) means for the file `near`.

    `at` is where the reference stands, for the error. Raises UsageError when there is no such function.
    """
    return _Search(reference, Path(near), at or Position(str(near))).handler()


class _Search:
    def __init__(self, reference: str, near: Path, at: Position) -> None:
        self._reference = reference
        self._at = at
        home = near.absolute().parent
        self._folders = list(dict.fromkeys(modules.folder(path) for path in (home, home.parent)))

    def handler(self) -> Callable[..., Any]:
        parts = self._reference.split(".")
        if len(parts) == 1 or not all(part.isidentifier() for part in parts):
            self._fail(f"{shown(self._reference)} names no handler", hint="Write it as module.function.")
        with modules.lock:
            source = self._source(parts[:-1])
            found: Any = self._loaded(source)
            for part in parts[source.name.count(".") + 1 :]:
                found = self._attribute(found, part, source)
        if not callable(found):
            self._fail(f"the handler {self._reference!r} is not a function but {shown(found)}", hint="Name a function.")
        handler: Callable[..., Any] = found
        return handler

    def _source(self, parts: list[str]) -> _Source:
        """The longest leading part of the reference that is a module, in the first place that has one."""
        names = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
        for folder in self._folders:
            for name in names:
                file = folder.file_of(name)
                if file is not None:
                    return _Source(name, file, functools.partial(folder.load, name))
        if modules.is_installed(parts[0]):
            for name in names:
                source = self._installed(name)
                if source is not None:
                    return source
        return self._not_found(names[0])

    def _installed(self, name: str) -> _Source | None:
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            return None
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a package's own code runs here and may raise anything)
            self._raised(error, None)
        if spec is None:
            return None
        file = Path(spec.origin) if spec.has_location and spec.origin else None
        return _Source(name, file, lambda: importlib.import_module(name))

    def _loaded(self, source: _Source) -> ModuleType:
        try:
            return source.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a user's module may raise anything while it loads)
            self._raised(error, source.file)

    def _attribute(self, owner: Any, name: str, source: _Source) -> Any:
        try:
            return getattr(owner, name)
        except AttributeError:
            names = [n for n, value in vars(owner).items() if callable(value) and not n.startswith("_")]
            own = [
                n for n in names if getattr(getattr(owner, n), "__module__", None) == getattr(owner, "__name__", None)
            ]
            beside = source.file and any(source.file.is_relative_to(folder.path) for folder in self._folders)
            where = path_shown(source.file) if source.file and beside else f"the module {source.name!r}"
            close = nearest(name, names)
            hint = f"It defines {', '.join(own)}." if own else "It defines no function."
            self._fail(f"{where} has no {name!r} for the handler {self._reference!r}", close, hint)

    def _not_found(self, module: str) -> NoReturn:
        places = " and ".join(repr(path_shown(folder.path)) for folder in self._folders)
        close = nearest(module, (name for folder in self._folders for name in folder.names()))
        message = f"there is no module {module!r} for the handler {self._reference!r}"
        self._fail(message, close, f"Looked in {places} and among the installed modules.")

    def _raised(self, error: BaseException, file: Path | None) -> NoReturn:
        kind = type(error).__name__
        text = str(error.msg) if isinstance(error, SyntaxError) and error.msg else str(error)
        said = f"{kind}: {text[:_MAX_TEXT]}" if text else kind
        place = self._place(error, file)
        where = f" ({place})" if place else ""
        self._fail(f"the handler {self._reference!r} cannot be imported: {said}{where}", hint="Mend its module.")

    def _place(self, error: BaseException, file: Path | None) -> Position | None:
        """The line of the user's code where the import went wrong: in the handler's file, or else beside it."""
        if isinstance(error, SyntaxError) and error.filename:
            return Position(path_shown(Path(error.filename)), error.lineno)
        import traceback  # 3 ms, and only needed when something is wrong

        frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        homes = [folder.path for folder in self._folders]
        own = [frame for frame in frames if frame[0] == file] or [f for f in frames if f[0].parent in homes]
        return Position(path_shown(own[-1][0]), own[-1][1]) if own else None

    def _fail(self, message: str, close: str | None = None, hint: str | None = None) -> NoReturn:
        raise UsageError(Problem(message, self._at, close, hint)) from None


def path_shown(path: Path) -> str:
    """The path as short as it can be said from the current folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (OSError, ValueError):
        return str(path)
