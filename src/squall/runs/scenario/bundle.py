"""The files that a scenario needs beside its own data, as texts: so that a run can be made again where none of them is.

Names are relative to the scenario's folder, with `/` between their parts; they may begin with `..`. What a file names
is found by its texts: any that is the name of a file beside it, or of a function in a module there. Files that a
handler opens by itself are not known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from squall.documents import Document, load
from squall.errors import Problem, UsageError, shown
from squall.runs.scenario.sources import closure

PARTS = 2  # of a reference to a function: its module and its name, at least
LONGEST = 200  # characters of a file's name
ROWS_FROM = "from"
"""The key under which a world names a file of rows."""


def bundle(folder: Path, named: Iterator[str]) -> dict[str, str]:
    """The texts of the files `named` in a scenario, and of those that they name in turn.

    Raises UsageError where one names a file by a path that no other machine has.
    """
    found: dict[Path, None] = {}
    problems: list[Problem] = []
    for name in named:
        file = folder / name
        document = load(file)
        problems += _elsewhere(document, document.data, ())
        found[_plain(file)] = None
        for each in _named_in(document.data, file):
            found[_plain(each)] = None
    if problems:
        raise UsageError(problems)
    return _texts_of(found, folder)


def functions(folder: Path, references: Iterator[str]) -> dict[str, str]:
    """The texts of the modules of `module.function`, where they lie beside the scenario."""
    return _texts_of({_plain(each): None for name in references for each in _module_files(name, folder)}, folder)


def portable(text: str, folder: Path, files: Mapping[str, str]) -> str:
    """A text as it would be on any machine: files of a scenario by their names from its folder."""
    above = _plain(folder)
    for number in range(max([0, *map(_ups, files)]) + 1):
        for path in dict.fromkeys((*([str(folder)] if not number else []), str(above), os.path.relpath(above))):
            if path not in (os.sep, os.curdir):
                text = re.sub(rf"(?<![\w./-]){re.escape(path)}/", "../" * number, text)
        above = above.parent
    return text


def unpack(files: Mapping[str, str], into: Path) -> Path:
    """Write `files` below `into`, and give the folder that stands for the scenario's own.

    That folder is at least one level deep, so that what happens to lie beside `into` is never taken for a module of
    the scenario. Raises UsageError for names that lead out of it.
    """
    up = max([1, *map(_ups, files)])
    folder = into.joinpath(*(f"up{number}" for number in range(up)))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = Path(os.path.normpath(folder / name))
        if PurePosixPath(name).is_absolute() or "\\" in name or "\0" in name or not path.is_relative_to(into):
            _distrust(f"the file name {shown(name)} leads out of the run")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        except (OSError, ValueError) as error:  # two names that cannot be both, one that is none
            _distrust(f"the file {shown(name)} cannot be written: {getattr(error, 'strerror', None) or error}")
    return folder


def _distrust(why: str) -> None:
    raise UsageError(Problem(why, hint="Do not trust this run.")) from None


def _ups(name: str) -> int:
    parts = PurePosixPath(name).parts
    return next((number for number, part in enumerate(parts) if part != ".."), len(parts))


def _plain(file: Path) -> Path:
    return Path(os.path.normpath(file.absolute()))


def _texts_of(files: Mapping[Path, None], folder: Path) -> dict[str, str]:
    """Texts to the byte, by their names; a file that is no text (a picture that a row names) is left where it is."""
    found: dict[str, str] = {}
    for file in sorted(files):
        try:
            found[Path(os.path.relpath(file, folder.absolute())).as_posix()] = file.read_bytes().decode()
        except UnicodeDecodeError:
            continue
    return found


def _elsewhere(document: Document, data: Any, loc: tuple[str | int, ...]) -> Iterator[Problem]:
    """Files of rows that are named by their whole path."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == ROWS_FROM and isinstance(value, str) and (value.startswith(("/", "~")) or "\\" in value):
                hint = "Name it from the folder of the file, with / between the parts."
                why = f"{shown(value)} can be found on this machine alone"
                yield Problem(why, document.at((*loc, key)), hint=hint)
            yield from _elsewhere(document, value, (*loc, key))
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield from _elsewhere(document, value, (*loc, place))


def _named_in(data: Any, file: Path) -> Iterator[Path]:
    """The files that a file's data name: seeds, other documents, the modules of handlers."""
    for text in _texts(data):
        if len(text) > LONGEST or "\n" in text or "." not in text:
            continue
        beside = file.parent / text
        if not text.startswith("/") and _is_file(beside):
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
            base = root.joinpath(*parts[:end])
            module = next((each for each in (base / "__init__.py", base.with_suffix(".py")) if _is_file(each)), None)
            if module is not None:
                yield from _packages(module, root)
                yield from closure(module, roots)
                return


def _packages(module: Path, root: Path) -> Iterator[Path]:
    """What runs first when a module of a package is imported."""
    for above in module.parents:
        if above == root:
            return
        if _is_file(above / "__init__.py"):
            yield from closure(above / "__init__.py", (root,))


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
