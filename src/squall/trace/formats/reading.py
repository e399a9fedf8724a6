"""From a file to traces: which format it is, which records make a run, one run after the other.

A file is read twice where records of several runs may be mixed: once to learn which run each belongs to, then run by
run, in the order in which they begin. Between the two only numbers are kept, so that memory depends on the largest run
and little on the file.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from squall.documents.nearby import near
from squall.errors import Position, Problem, UsageError, nearest
from squall.trace.formats import inspect_ai, own
from squall.trace.formats.kinds import ALIASES, KINDS, Format
from squall.trace.formats.records import NotJson, Record, broken, record_at, records
from squall.trace.formats.writing import trace_of
from squall.trace.reader import Trace

AUTO = "auto"
FORMATS = (AUTO, own.NAME, *(kind.name for kind in KINDS), *ALIASES)
LOOKED_AT = 100
"""Records from which the format of a file is told."""


def load(path: str | Path, fmt: str = AUTO) -> list[Trace]:
    """The runs in a file, in the order in which they begin. Raises `UsageError` where it cannot be read."""
    return list(stream(path, fmt))


def load_otlp(path: str | Path) -> list[Trace]:
    """The runs in a file of OTLP/JSON: what `--squall-export-otlp` writes comes back as it was."""
    return load(path, "otlp")


def stream(path: str | Path, fmt: str = AUTO) -> Iterator[Trace]:
    """The runs in a file, one in memory at a time."""
    if fmt not in FORMATS:
        hint = f"There are {', '.join(FORMATS)}."
        raise UsageError(Problem(f"there is no format {fmt!r} of traces", nearest=nearest(fmt, FORMATS), hint=hint))
    path = Path(path)
    try:
        yield from _runs(path, fmt)
    except NotJson as error:
        raise broken(path, error) from None
    except OSError as error:
        message = f"cannot read {str(path)!r}: {error.strerror or error}"
        raise UsageError(Problem(message, nearest=near(path), hint="Name a file of recorded runs.")) from None


def _runs(path: Path, fmt: str) -> Iterator[Trace]:
    zipped = inspect_ai.is_zip(path)
    name = inspect_ai.NAME if zipped else _told(path) if fmt == AUTO else ALIASES.get(fmt, fmt)
    if name == own.NAME:
        yield from own.stream(path)
        return
    kind = next(kind for kind in KINDS if kind.name == name)
    index = 0
    for values in ([value] for value in inspect_ai.zipped(path)) if zipped else _grouped(path, kind):
        for found in kind.read(values):
            yield found if isinstance(found, Trace) else trace_of(found, name=path.name, index=index)
            index += 1
    if not index:
        raise UsageError(Problem(f"there is no run in it: it was read as {kind.looks_for}", Position(str(path))))


def _told(path: Path) -> str:
    """The format that most of the first records are of."""
    looks = {own.NAME: own.looks, **{kind.name: kind.looks for kind in KINDS}}
    hits = dict.fromkeys(looks, 0)
    seen = 0
    try:
        for record in islice(records(path), LOOKED_AT):
            seen += 1
            fits = next((name for name, look in looks.items() if look(record.value)), None)
            if fits is not None:
                hits[fits] += 1
    except NotJson:
        if not any(hits.values()):
            raise
    best = max(hits, key=lambda name: hits[name])
    if hits[best]:
        return best
    looked_for = "\n    ".join((own.LOOKS_FOR, *(kind.looks_for for kind in KINDS)))
    what = "it is empty" if not seen else f"none of its first {seen} records is of a known format"
    message = f"this is no file of recorded runs: {what}. Looked for:\n    {looked_for}"
    raise UsageError(Problem(message, Position(str(path))))


def _grouped(path: Path, kind: Format) -> Iterator[list[Any]]:
    """The records of each run."""
    key = kind.key()
    first = next((record for record in records(path) if kind.looks(record.value)), None)
    if first is None:
        return
    if key(first) is None:
        for record in records(path):
            if kind.looks(record.value):
                yield [record.value]
        return
    places = _Places()
    for record in records(path):
        if kind.looks(record.value):
            places.add(record, key)
    with path.open("rb") as file:
        for start, end in places.groups():
            yield [record_at(file, *place) for place in zip(start, end, strict=True)]


class _Places:
    """Where the records of each run stand, in few bytes."""

    def __init__(self) -> None:
        self._starts, self._ends, self._run = array("Q"), array("Q"), array("I")
        self._runs: dict[int, int] = {}

    def add(self, record: Record, key: Callable[[Record], str | None]) -> None:
        """A record; one that is a run by itself has no key."""
        name = key(record)
        run = len(self._runs) if name is None else self._runs.get(hash(name), len(self._runs))
        self._runs.setdefault(hash(name if name is not None else record.start), run)
        self._starts.append(record.start)
        self._ends.append(record.end)
        self._run.append(run)

    def groups(self) -> Iterator[tuple[list[int], list[int]]]:
        """The beginnings and ends of the records of each run, in the order in which runs begin."""
        until = array("I", [0]) * (len(self._runs) + 1)  # where the records of each run end, once they are in order
        for run in self._run:
            until[run + 1] += 1
        for run in range(len(self._runs)):
            until[run + 1] += until[run]
        order, at = array("I", [0]) * len(self._run), until[:]
        for place, run in enumerate(self._run):
            order[at[run]] = place
            at[run] += 1
        for run in range(len(self._runs)):
            places = order[until[run] : until[run + 1]]
            yield [self._starts[place] for place in places], [self._ends[place] for place in places]
