"""OpenAPI documents as files: read with positions, and forgiven the keys that many write as bare numbers.

Knows no schema.
"""

from __future__ import annotations

import re
from pathlib import Path

from squall.documents import Document, load, parse
from squall.documents.document import FORMATS, MAX_SIZE
from squall.errors import Position, Problem, UsageError, nearest, shown

_NUMBER_KEY = re.compile(
    r"(^[ \t]+)(\d+(?:\.\d+)?)(?=[ \t]*:(?:\s|\Z))|([{,][ \t]*)([1-5]\d\d)(?=[ \t]*: *\{)", re.MULTILINE
)
_VERSIONS = {"swagger": "2.", "openapi": "3."}


def load_openapi(path: str | Path) -> Document:
    """The OpenAPI 3 or Swagger 2 document at `path`. Raises UsageError with the place of what is wrong."""
    document = _read(Path(path), str(path))
    check_version(document)
    return document


def _read(path: Path, name: str) -> Document:
    if path.is_file() and path.stat().st_size > MAX_SIZE:
        message = f"the document is larger than {MAX_SIZE // 2**20} MB"
        raise UsageError(Problem(message, Position(name), hint="Cut it down to the paths that you need."))
    try:
        return load(path)
    except UsageError as error:
        if "is not text" not in error.problems[0].message:
            raise
    text = path.read_text(encoding="utf-8-sig")
    return parse(_NUMBER_KEY.sub(r'\1\3"\2\4"', text), format=FORMATS[path.suffix.lower()], name=name)


def check_version(document: Document) -> None:
    """Raises UsageError unless `document` says that it is an OpenAPI document of a version that is known."""
    data = document.data if isinstance(document.data, dict) else {}
    key = next((key for key in _VERSIONS if key in data), None)
    if key is None:
        near = next((name for name in data if nearest(name, _VERSIONS)), None)
        what = "a world already" if "services" in data else "no OpenAPI document"
        message = f"this is {what}: there is no key 'openapi' or 'swagger'"
        loc = () if near is None else (near,)
        hint = "An OpenAPI document begins with openapi: 3.1.0, or swagger: '2.0'."
        raise UsageError(Problem(message, document.at(loc, key=True), near and nearest(near, _VERSIONS), hint))
    if not str(data[key]).startswith(_VERSIONS[key]):
        message = f"{shown(data[key])} is no version of {key} that squall reads"
        raise UsageError(Problem(message, document.at((key,)), hint="It reads OpenAPI 3.0 and 3.1, and Swagger 2.0."))
