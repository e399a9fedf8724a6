"""One file that a user writes: its plain data, and where each part of it stands.

Knows the three formats by name and reads files; knows nothing of what a document is for.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any, Literal, NoReturn

from squall.documents import nearby
from squall.documents.positions import Parsed, Spot, Text
from squall.errors import Position, Problem, UsageError, is_weather, nearest

__tracebackhide__ = is_weather

Format = Literal["yaml", "toml", "json"]

MAX_SIZE = 4 * 1024 * 1024
"""Bytes of the largest document that is read."""

FORMATS: dict[str, Format] = {".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json"}

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MAX_LISTED = 12


class Document:
    """Plain data (`data`), the `text` it was read from, and the position of every key and value."""

    def __init__(self, source: Text, parsed: Parsed, path: Path | None = None) -> None:
        self.path = path
        self.name = source.name
        self.text = source.text
        self.data: Any = parsed.data
        self._source = source
        self._root: Spot = parsed.root

    def __repr__(self) -> str:
        return f"<Document {self.name}>"

    def at(self, loc: tuple[str | int, ...], *, key: bool = False) -> Position:
        """Where the value at `loc` stands, or with `key` its key; of the nearest ancestor where there is none."""
        spot, found = self._root.find(loc)
        return self._source.at(spot.key if key or not found else spot.start)


def load(path: str | Path, *, name: str | None = None) -> Document:
    """Read a `.yaml`, `.yml`, `.toml` or `.json` file. Raises UsageError with the place of what is wrong.

    `name` is what errors call it; the path, unless it is given.
    """
    shown_path = str(path) if name is None else name
    file = Path(path)
    kind = FORMATS.get(file.suffix.lower())
    raw = _bytes(file, shown_path)
    if kind is None:
        _refuse(
            shown_path, f"the ending {file.suffix!r} names no format that squall reads", "Use .yaml, .toml or .json."
        )
    return _document(_decoded(raw, shown_path), kind, shown_path, file)


def parse(text: str, *, format: Format, name: str) -> Document:
    """A document from text that is already in memory; `name` is what errors call it."""
    return _document(text.removeprefix("\ufeff"), format, name, None)


def _document(text: str, kind: Format, name: str, path: Path | None) -> Document:
    source = Text(text, name)
    if len(text) > MAX_SIZE:
        _refuse_size(name)
    control = _CONTROL.search(text)
    if control:
        message = f"the control character {control.group()!r} cannot stand in a document"
        source.fail(message, control.start(), "Take it out, or write it as an escape in quotes.")
    parsed = _parsed(source, kind)
    if parsed.data is None or (not parsed.data and kind == "toml"):
        source.fail("the file is empty" if not text.strip() else "the file holds nothing", 0, "Is this the right file?")
    return Document(source, parsed, path)


def _parsed(source: Text, kind: Format) -> Parsed:
    if not source.text.strip():
        return Parsed(None, Spot(0))
    if kind == "yaml":
        from squall.documents import yaml_format  # when it is first met: ruamel.yaml takes 30 ms

        return yaml_format.parse(source)
    if kind == "toml":
        from squall.documents import toml_format  # when it is first met

        return toml_format.parse(source)
    from squall.documents import json_format  # when it is first met

    return json_format.parse(source)


def _bytes(file: Path, name: str) -> bytes:
    try:
        status = file.stat()
        if stat.S_ISDIR(status.st_mode):
            _refuse(name, "this is a folder, not a file", _listing(file))
        if not stat.S_ISREG(status.st_mode):
            _refuse(name, "this is not a regular file", "Save the document as a file.")
        if status.st_size > MAX_SIZE:
            _refuse_size(name)
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(_missing(file, name)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        _refuse(name, f"the file cannot be read: {reason}", "Check the path and its permissions.")


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = Text(raw[: error.start].decode("utf-8-sig", "replace"), name)
        hint = "Save the file as UTF-8."
        if raw.startswith(_UTF16):
            hint = "It looks like UTF-16. " + hint
        before.fail(f"this is not UTF-8: byte 0x{raw[error.start]:02x}", len(before.text), hint)


def _missing(file: Path, name: str) -> Problem:
    """Say which part of the path is not there, and what stands in its place."""
    gap = nearby.gap(file)
    message = f"there is no file {name!r}"
    if gap != file:
        message += f", and no folder {str(gap)!r}"
    names = _names(gap.parent, folders=gap != file)
    close = nearest(gap.name, names)
    hint = "Check the path." if file.is_absolute() else f"Paths start from {str(Path.cwd())!r}."
    if close is None and names:
        hint = f"In {str(gap.parent)!r} there are {', '.join(names[:_MAX_LISTED])}. {hint}"
    return Problem(message, nearest=None if close is None else str(gap.parent / close), hint=hint)


def _names(folder: Path, *, folders: bool) -> list[str]:
    return nearby.names(folder, Path.is_dir if folders else lambda each: each.suffix.lower() in FORMATS)


def _listing(folder: Path) -> str:
    names = _names(folder, folders=False)
    if not names:
        return "Name a .yaml, .toml or .json file."
    return f"Name a file in it: {', '.join(names[:_MAX_LISTED])}."


def _refuse_size(name: str) -> NoReturn:
    limit = MAX_SIZE // (1024 * 1024)
    _refuse(name, f"the file is larger than {limit} MB", "Let a world generate its rows instead (seed: {count: N}).")


def _refuse(name: str, message: str, hint: str) -> NoReturn:
    raise UsageError(Problem(message, Position(name), hint=hint))
