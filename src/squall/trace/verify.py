"""Checks the chain of a stored trace: any change, removal, insertion or reordering shows, with the first bad line.

Reads raw bytes line by line, so a file of any size needs little memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from squall.errors import SquallError
from squall.trace.kinds import RunEnd
from squall.trace.line import AFTER_HASH, GENESIS, HASH_END, HEAD, REST, VERSION, decode

LONGEST_LINE = 64 * 2**20


class BrokenChain(SquallError):
    """The chain does not hold; `line` counts from 1."""

    def __init__(self, name: str, line: int, why: str) -> None:
        super().__init__(f"{name}:{line}: {why}")
        self.name, self.line, self.why = name, line, why


class Verified(NamedTuple):
    """What was found: the run's name, how many events it has, its status and the hash of its last line."""

    run: str
    events: int
    status: str
    head: str


def verify(path: str | Path) -> Verified:
    """Verify the trace in the file `path`. Raises `BrokenChain`, or `OSError` where it cannot be read."""
    with Path(path).open("rb") as file:
        return verify_lines(_whole_lines(file, str(path)), name=str(path))


def verify_lines(lines: Iterable[bytes], name: str = "trace") -> Verified:
    """Verify lines, with or without their newlines."""
    prev, run, number = GENESIS, None, 0
    end: RunEnd | None = None
    for number, line in enumerate(lines, start=1):
        if end is not None:
            raise BrokenChain(name, number, "there is a line after run_end")
        line = line.removesuffix(b"\n")
        if not (line.startswith(HEAD) and line[HASH_END:REST] == AFTER_HASH and line.endswith(b"}")):
            raise BrokenChain(name, number, "this is not an event of trace format 1" + _cut(line))
        claimed, part = line[len(HEAD) : HASH_END], line[REST:]
        if hashlib.sha256(part).hexdigest().encode() != claimed:
            raise BrokenChain(name, number, "the line was changed: its hash does not match its bytes")
        if not part.startswith(b'"prev":"' + prev + b'"'):
            raise BrokenChain(name, number, "a line was removed, inserted or moved: `prev` is not the hash before it")
        try:
            envelope, event = decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BrokenChain(name, number, f"this is not an event of trace format 1: {error}") from None
        if envelope.v != VERSION:
            raise BrokenChain(name, number, f"trace format {envelope.v} is not known; this squall reads {VERSION}")
        if envelope.seq != number or (run is not None and envelope.run != run):
            raise BrokenChain(name, number, "the line belongs to another place or another run")
        prev, run = claimed, envelope.run
        end = event if isinstance(event, RunEnd) else None
    if number == 0 or run is None:
        raise BrokenChain(name, 1, "the file is empty")
    if end is None:
        raise BrokenChain(name, number, "the trace is truncated: it has no run_end")
    if end.count != number:
        raise BrokenChain(name, number, f"run_end counts {end.count} events, the file has {number}")
    return Verified(run, number, end.status, prev.decode())


def _whole_lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Lines with their newlines; the one that lacks it is handed on first, for it may have more wrong with it."""
    lines = iter(lambda: file.readline(LONGEST_LINE), b"")
    for number, line in enumerate(lines, start=1):
        yield line
        if not line.endswith(b"\n"):
            raise BrokenChain(name, number, f"the line has no end: it was cut, or is longer than {LONGEST_LINE} bytes")


def _cut(line: bytes) -> str:
    return "" if line.endswith(b"}") else ", or it was cut"
