"""Imports Python files that stand beside a user's file, under names of their own.

Each folder becomes a package with a name that no other folder has, so two files of one name never mix, classes can be
pickled, and `sys.path` stays as it is. In such a module `import other` finds `other.py` beside it first.
Knows nothing of handlers.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import importlib.util
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

_PREFIX = "squall_beside_"

_State = tuple[int, int, int] | None
_folders: dict[str, Folder] = {}

lock = threading.RLock()
"""Held while modules are loaded or dropped."""


class Folder:
    """The modules of one folder. Get one from `folder`, so that a folder is known only once."""

    def __init__(self, path: Path) -> None:
        import hashlib  # 3 ms that only files with handlers need to pay

        self.path = path
        self.package = _PREFIX + hashlib.sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:12]
        self._states: dict[Path, _State] = {}

    def file_of(self, name: str) -> Path | None:
        """The source of the module with this dotted name, if it stands in this folder."""
        base = self.path.joinpath(*name.split("."))
        candidates = (base / "__init__.py", base.with_name(f"{base.name}.py"))
        return next((file for file in candidates if file.is_file()), None)

    def has(self, name: str) -> bool:
        """Whether a top-level module of this name stands in this folder."""
        return self.file_of(name) is not None or (_is_plain_package(self.path / name) and not is_installed(name))

    def names(self) -> list[str]:
        """The top-level modules of this folder."""
        try:
            found = {
                path.stem for path in self.path.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
            }
        except OSError:
            return []
        return sorted(name for name in found if name.isidentifier())

    def load(self, name: str) -> ModuleType:
        """The module with this dotted name, executed once for as long as no file loaded from here changes."""
        with lock:
            if not self.is_current():
                self._drop()
            if self.package not in sys.modules:
                package = ModuleType(self.package, f"The modules in {self.path}.")
                package.__path__ = [str(self.path)]
                sys.modules[self.package] = package
            return importlib.import_module(f"{self.package}.{name}")

    def is_current(self) -> bool:
        """Whether the files that were loaded from here are still what they were."""
        return all(_state(file) == state for file, state in self._states.items())

    def execute(self, module: ModuleType, run: Callable[[], None]) -> None:
        """Run a module's code with an `import` that looks in this folder first, and remember its file's state."""
        file = Path(str(module.__file__))
        self._states[file] = _state(file)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
        try:
            run()
        except BaseException:
            del self._states[file]
            raise

    def _drop(self) -> None:
        self._states.clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == self.package]:
            del sys.modules[name]

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - the name that __import__ has
        locals: Mapping[str, object] | None = None,  # noqa: A002 - the name that __import__ has
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        top = name.partition(".")[0]
        if level or not self.has(top):
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = importlib.import_module(f"{self.package}.{name}")
        if fromlist:  # `from pkg import mod` loads mod, and the machinery knows how
            return builtins.__import__(module.__name__, globals, locals, fromlist, 0)
        return sys.modules[f"{self.package}.{top}"]


def folder(path: Path) -> Folder:
    """The folder at `path`."""
    with lock:
        if _Finder not in sys.meta_path:
            sys.meta_path.insert(0, _Finder)  # before the finder of plain paths, which knows no siblings
        found = Folder(path.resolve())
        return _folders.setdefault(found.package, found)


def is_installed(name: str) -> bool:
    """Whether a plain `import` finds a top-level module of this name."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return name in sys.modules


def _is_plain_package(path: Path) -> bool:
    """Whether a folder without `__init__.py` holds modules."""
    return path.is_dir() and any(path.glob("*.py"))


def _state(file: Path) -> _State:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, fullname: str, path: str, home: Folder) -> None:
        super().__init__(fullname, path)
        self._home = home

    def get_code(self, fullname: str) -> CodeType:
        # Always from the source: a compiled file knows its source's age by the second only, and would be one more file
        # beside the user's own.
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code

    def exec_module(self, module: ModuleType) -> None:
        self._home.execute(module, lambda: super(_Loader, self).exec_module(module))


class _Finder:
    """Finds the modules of the folders that are in use; answers for no other name."""

    @classmethod
    def find_spec(cls, fullname: str, _path: Any = None, _target: Any = None) -> importlib.machinery.ModuleSpec | None:
        package, _, name = fullname.partition(".")
        home = _folders.get(package)
        if home is None or not name:
            return None
        file = home.file_of(name)
        if file is None:
            base = home.path.joinpath(*name.split("."))
            if not _is_plain_package(base):
                return None
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [str(base)]
            return spec
        inside = [str(file.parent)] if file.name == "__init__.py" else None
        loader = _Loader(fullname, str(file), home)
        return importlib.util.spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=inside)
