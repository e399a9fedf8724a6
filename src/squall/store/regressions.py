"""A failure as a file: the smallest schedule that shows it, what it violates, and what happened then. Format 1.

Meant to be committed, read and compared: JSON with two spaces, one fault or event per line of thought, no path of a
machine and no time. Lies in `.squall/regressions/` as `<test>-<hash>.json`; the hash is of the test, the schedule and
what is violated, so that the same failure is the same file. Knows no runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from squall.canonical import digest
from squall.documents.nearby import near
from squall.errors import Problem, UsageError

VERSION = 1
FOLDER = Path(".squall") / "regressions"
SLUG = re.compile(r"[^A-Za-z0-9_.\[\]-]+")
LONGEST = 60  # characters of a test's name in that of its file
HASH = 12
MOST_EVENTS = 400
Number = Annotated[int, msgspec.Meta(ge=1)]
Phase = Annotated[str, msgspec.Meta(pattern="^(before|after|late)$")]
Wire = Annotated[str, msgspec.Meta(pattern="^(tool|model|session|event)$")]
"""A file that asks for another is refused: nothing would strike, and the failure would seem to be gone."""


class FaultAt(msgspec.Struct, frozen=True):
    """One fault: its point, and which arrival at its target (from 1) that was, for code that has changed since."""

    kind: str
    phase: Phase
    wire: Wire
    target: str
    digest: str
    nth: Number
    arrival: Number
    attempt: Number = 1
    scope: str = ""
    params: Mapping[str, Any] = {}


class Regression(msgspec.Struct, frozen=True):
    """`test` names what failed: a pytest node, or a scenario and its strategy. `how` is the line that replays it.

    `violated` names the property, check or assertion, and `message` is what it said. `digests` are of what took part:
    agent, world, tools, script, where each is known. `events` are the run's, shortened, each with a digest of its
    bytes; `head` is the hash of its trace.
    """

    test: str
    violated: Annotated[str, msgspec.Meta(min_length=1)]
    status: str
    schedule: tuple[FaultAt, ...]
    how: str
    message: str = ""
    seed: int = 0
    run_index: int = 0
    line: str = ""
    head: str = ""
    digests: Mapping[str, str] = {}
    events: tuple[str, ...] = ()
    squall: str = ""
    scenario: Mapping[str, Any] = {}
    squall_regression: int = VERSION

    @property
    def hash(self) -> str:
        """12 hexadecimal digits."""
        faults = [msgspec.to_builtins(msgspec.structs.replace(each, arrival=0)) for each in self.schedule]
        return digest([self.test, self.violated, faults])[:HASH]

    @property
    def file_name(self) -> str:
        """The name of its file."""
        file, colons, inside = self.test.partition("::")  # what stands inside may have slashes of its own
        short = SLUG.sub("_", f"{file.rpartition('/')[2]}{colons}{inside}".replace("::", "-"))
        if len(short) > LONGEST:  # its end tells more, from the beginning of a word on
            short = short[-LONGEST:].partition("_")[2] or short[-LONGEST:]
        return f"{short.strip('-._')}-{self.hash}.json"


def write(regression: Regression, folder: Path) -> Path:
    """Write the file, whole or not at all, and give its path. The same failure, found again, is the same file."""
    path = folder / regression.file_name
    text = msgspec.json.format(_encoder.encode(regression), indent=2) + b"\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.read_bytes() == text:
            return path
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_bytes(text)
        beside.replace(path)
    except OSError as error:
        raise UsageError(Problem(f"cannot write {str(path)!r}: {error.strerror or error}")) from None
    return path


def read(path: Path) -> Regression:
    """The failure in a file. Raises UsageError where it holds none, or one of a later format."""
    try:
        data = path.read_bytes()
    except OSError as error:
        hint = f"Files of failures lie in {FOLDER}."
        message = f"cannot read {str(path)!r}: {error.strerror or error}"
        raise UsageError(Problem(message, nearest=near(path), hint=hint)) from None
    try:
        version = msgspec.json.decode(data, type=_Version).squall_regression
        if version != VERSION:
            hint = "Update squall, or explore again."
            raise UsageError(Problem(f"{path}: regression format {version} is not known", hint=hint))
        return msgspec.json.decode(data, type=Regression)
    except msgspec.DecodeError as error:
        hint = "It is a JSON file that squall wrote when it found a failure; explore again to have a new one."
        raise UsageError(Problem(f"{path}: this is no regression file: {error}", hint=hint)) from None


def kept(folder: Path, test: str, unread: Callable[[UsageError], object]) -> list[tuple[Path, Regression]]:
    """The failures that are kept for a test, by the names of their files. `unread` is told of files that hold none."""
    found = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            regression = read(path)
        except UsageError as error:
            unread(error)
            continue
        if regression.test == test:
            found.append((path, regression))
    return found


class _Version(msgspec.Struct):
    squall_regression: int


_encoder = msgspec.json.Encoder(order="deterministic")
