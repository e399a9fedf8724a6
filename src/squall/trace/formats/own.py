"""squall's own traces, format 1: one event per line. A file may hold several runs after each other.

Lines are kept as they are, chained or not; `squall verify` is what tells whether the chain holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from squall.errors import Position, Problem, UsageError
from squall.trace.formats.values import mapped
from squall.trace.kinds import RunEnd
from squall.trace.line import decode
from squall.trace.reader import Trace

NAME = "squall"
LOOKS_FOR = "traces of squall (`hash`, `prev`, `v`, `run`, `seq`, `kind`)"
FIELDS = frozenset(("hash", "prev", "v", "run", "seq", "kind"))


def looks(value: Any) -> bool:
    """Whether a record is an event of a trace."""
    return mapped(value).keys() >= FIELDS


def stream(path: Path) -> Iterator[Trace]:
    """The runs of a file, one in memory at a time."""
    lines: list[bytes] = []
    run = None
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            line = line.strip()
            if not line:
                continue
            try:
                envelope, event = decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                at = Position(str(path), number)
                raise UsageError(Problem(f"this is not an event of trace format 1: {error}", at)) from None
            if lines and (envelope.run != run or envelope.seq == 1):
                yield Trace(lines, name=str(path))
                lines = []
            run = envelope.run
            lines.append(line)
            if isinstance(event, RunEnd):
                yield Trace(lines, name=str(path))
                lines = []
    if lines:
        yield Trace(lines, name=str(path))
