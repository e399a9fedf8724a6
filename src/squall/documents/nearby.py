"""The file or folder that a path was meant to be, where nothing is there. Knows names, and no file's inside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from squall.errors import nearest


def near(path: str | Path) -> str | None:
    """The one beside it whose name is nearly the same, as the path was written; None where it is there, or none is."""
    try:
        return _near(Path(path))
    except (OSError, ValueError):  # no name that a file may have
        return None


def _near(path: Path) -> str | None:
    if path.exists():
        return None
    missing = gap(path)
    hidden = missing.name.startswith(".")
    close = nearest(missing.name, names(missing.parent, lambda each: each.name.startswith(".") is hidden))
    meant = None if close is None else missing.parent / close / path.relative_to(missing)
    return str(meant) if meant is not None and meant.exists() else None


def gap(path: Path) -> Path:
    """The first part of a path that is not there."""
    while not path.parent.exists() and path.parent != path:
        path = path.parent
    return path


def names(folder: Path, wanted: Callable[[Path], bool]) -> list[str]:
    """Those in a folder that are wanted, in order."""
    try:
        return sorted(each.name for each in folder.iterdir() if wanted(each))
    except OSError:
        return []
