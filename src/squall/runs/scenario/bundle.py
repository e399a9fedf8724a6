"""The files that a scenario needs beside its own data, as texts: so that a run can be made again where none of them is.

Names are relative to the scenario's folder, with `/` between their parts; they may begin with `..`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from squall.documents import load
from squall.errors import Problem, UsageError, shown
from squall.runs.scenario.sources import closure

PARTS = 2  # of a reference to a function: its module and its name, at least


def bundle(folder: Path, named: Iterator[str]) -> dict[str, str]:
    """The texts of the files `named` in a scenario, and of those that they name in turn."""
    found: dict[Path, None] = {}
    for name in named:
        file = folder / name
        found[_plain(file)] = None
        for each in _named_in(load(file).data, file):
            found[_plain(each)] = None
    return {_relative(each, folder): each.read_text("utf-8") for each in sorted(found)}


def functions(folder: Path, references: Iterator[str]) -> dict[str, str]:
    """The texts of the modules of `module.function`, where they lie beside the scenario."""
    files = {each for reference in references for each in _module_files(reference, folder)}
    return {_relative(each, folder): each.read_text("utf-8") for each in sorted(files)}


def unpack(files: Mapping[str, str], into: Path) -> Path:
    """Write `files` below `into`, and give the folder that stands for the scenario's own.

    Raises UsageError for names that lead out of it.
    """
    up = max((_ups(name) for name in files), default=0)
    folder = into.joinpath(*(f"up{number}" for number in range(up)))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = Path(os.path.normpath(folder / name))
        if PurePosixPath(name).is_absolute() or not path.is_relative_to(into):
            raise UsageError(
                Problem(f"the file name {shown(name)} leads out of the run", hint="Do not trust this run.")
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def _ups(name: str) -> int:
    parts = PurePosixPath(name).parts
    return next((number for number, part in enumerate(parts) if part != ".."), len(parts))


def _plain(file: Path) -> Path:
    return Path(os.path.normpath(file.absolute()))


def _relative(file: Path, folder: Path) -> str:
    return Path(os.path.relpath(file, folder.absolute())).as_posix()


def _named_in(data: Any, file: Path) -> Iterator[Path]:
    """The files that a file's data name: seeds, other documents, the modules of handlers."""
    for text in _texts(data):
        if len(text) > 200 or "\n" in text:  # noqa: PLR2004 - no name of a file is as long
            continue
        beside = file.parent / text
        if "." in text and not text.startswith("/") and _is_file(beside):
            yield beside
        yield from _module_files(text, file.parent)


def _module_files(reference: str, folder: Path) -> Iterator[Path]:
    """The files of `module.function` where the module lies in the folder or its parent, and all that they import."""
    parts = reference.split(".")
    if len(parts) < PARTS or not all(part.isidentifier() for part in parts):
        return
    roots = (folder.absolute(), folder.absolute().parent)
    for root in roots:
        for end in range(len(parts) - 1, 0, -1):
            module = root.joinpath(*parts[: end - 1], f"{parts[end - 1]}.py")
            if _is_file(module):
                yield from closure(module, roots)
                return


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a text that cannot be a path
        return False


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from _texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from _texts(value)
