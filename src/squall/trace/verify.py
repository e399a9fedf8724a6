"""Checks the chain of a stored trace: any change, removal, insertion or reordering shows, with the first bad line.

Reads raw bytes, a piece at a time, so a file of any size needs little memory. Most lines are what the recorder writes,
and for those it is enough that they begin as they must and are JSON of a known kind; any other is looked at closely,
and told what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, get_args

import msgspec

from squall.errors import SquallError
from squall.trace.kinds import AnyEvent, RunEnd
from squall.trace.line import AFTER_HASH, GENESIS, HASH_END, HEAD, REST, VERSION, decode, encode

LONGEST_LINE = 64 * 2**20
PIECE = 2**17
"""Bytes that are read at once, and the rest of the last line."""
BRACE = ord("}")
END = RunEnd.__struct_config__.tag


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
        return verify_file(file, name=str(path))


def verify_file(file: BinaryIO, name: str = "trace") -> Verified:
    """Verify an open file. A line that has no end is looked at first, for it may have more wrong with it."""
    chain = _Chain(name)
    while piece := file.read(PIECE):
        if not piece.endswith(b"\n"):
            piece += file.readline(LONGEST_LINE)
        chain.take_all(BytesIO(piece).readlines())
        if not piece.endswith(b"\n"):
            why = f"the line has no end: it was cut, or is longer than {LONGEST_LINE} bytes"
            raise BrokenChain(name, chain.number, why)
    return chain.result()


def verify_lines(lines: Iterable[bytes], name: str = "trace") -> Verified:
    """Verify lines, with or without their newlines."""
    chain = _Chain(name)
    chain.take_all([line if line.endswith(b"\n") else line + b"\n" for line in lines])
    return chain.result()


class _Chain:
    """How far the lines of one trace have been followed: `number` of them, so far."""

    def __init__(self, name: str) -> None:
        self.number = 0
        self._name = name
        self._prev = GENESIS.decode()
        self._run: str | None = None
        self._after_prev = ""
        self._end: RunEnd | None = None

    def take_all(self, lines: Sequence[bytes]) -> None:
        """Follow lines: the first is what the others are held against, and the last may be the end."""
        most = lines[1:-1]
        for line in lines[:1]:
            self._take(line)
        if not self._passes(most):
            for line in most:
                self._take(line)
        for line in lines[len(most) + 1 :]:
            self._take(line)

    def result(self) -> Verified:
        """What was found, after the last line."""
        if self._run is None:
            raise self._broken("the file is empty")
        if self._end is None:
            raise self._broken("the trace is truncated: it has no run_end")
        if self._end.count != self.number:
            raise self._broken(f"run_end counts {self._end.count} events, the file has {self.number}")
        return Verified(self._run, self.number, self._end.status, self._prev)

    def _passes(self, lines: Sequence[bytes]) -> bool:
        """Follow lines that are as the recorder writes them and no end. False, and nothing done, where one is not."""
        if not lines or self._end is not None:
            return False
        # One thing of all lines after the other takes a sixth less time than all things of one line after the other.
        marks = [sha256(line[REST:-1]).hexdigest() for line in lines]
        links = zip(marks, [self._prev, *marks], count(self.number + 1), strict=False)
        after_prev = self._after_prev
        heads = [f'{{"hash":"{mark}","prev":"{prev}{after_prev}{number},"t":'.encode() for mark, prev, number in links]
        if not all(map(bytes.startswith, lines, heads)) or {line[-2] for line in lines} != {BRACE}:
            return False
        text = b"".join(lines)
        try:
            text.decode()
            if len(_lines.decode_lines(text)) != len(lines):
                return False
        except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
            return False
        self._prev, self.number = marks[-1], self.number + len(lines)
        return True

    def _take(self, line: bytes) -> None:
        """Follow one line, or say what is wrong with it."""
        self.number += 1
        line = line.removesuffix(b"\n")
        if self._end is not None:
            raise self._broken("there is a line after run_end")
        if not (line.startswith(HEAD) and line[HASH_END:REST] == AFTER_HASH and line.endswith(b"}")):
            raise self._broken(_UNKNOWN + ("" if line.endswith(b"}") else ", or it was cut"))
        claimed, part = line[len(HEAD) : HASH_END], line[REST:]
        mark = sha256(part).hexdigest()
        if mark.encode() != claimed:
            raise self._broken("the line was changed: its hash does not match its bytes")
        if not part.startswith(f'"prev":"{self._prev}"'.encode()):
            raise self._broken("a line was removed, inserted or moved: `prev` is not the hash before it")
        try:
            envelope, event = decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._broken(f"{_UNKNOWN}: {error}") from None
        if envelope.v != VERSION:
            raise self._broken(f"trace format {envelope.v} is not known; this squall reads {VERSION}")
        if envelope.seq != self.number or (self._run is not None and envelope.run != self._run):
            raise self._broken("the line belongs to another place or another run")
        self._prev, self._run = mark, envelope.run
        self._after_prev = f'","v":{VERSION},"run":{encode(envelope.run).decode()},"seq":'
        self._end = event if isinstance(event, RunEnd) else None

    def _broken(self, why: str) -> BrokenChain:
        return BrokenChain(self._name, max(self.number, 1), why)


_UNKNOWN = "this is not an event of trace format 1"
_BUT_THE_END = tuple(tag for kind in get_args(AnyEvent) if (tag := kind.__struct_config__.tag) != END)


class _Line(msgspec.Struct, gc=False):
    """What is read of a line that begins as it must; the rest of it is only found to be JSON."""

    t: float
    kind: Literal[_BUT_THE_END]  # type: ignore[valid-type]  # msgspec reads it when it runs


_lines = msgspec.json.Decoder(_Line)
