"""The state journal of a world, format 1: where it began, and every effect as it is committed.

JSON Lines in UTF-8, appended and never rewritten. Each line is handed to the operating system before the effect's call
is answered, so that a killed process loses nothing that anybody was told of. A run writes, in this order:

    {"journal":1,"squall":"0.1.0","world":"shop","digest":"<sha256>","seed":0,"run_index":0}
    {"table":"orders.order","rows":{"1":{"id":"1","status":"placed"}}}                  one for each table, as seeded
    {"rev":1,"t":0.013,"table":"orders.order","op":"update","id":"1","row":{…},"call":3,"tool":"update_order"}
    {"end":"passed","revision":1}

`digest` is that of the world's file; `rev` counts effects from 1; `t` is in seconds of the run's clock; `op` is
`insert`, `update` or `delete`; `row` is the whole row after it (null: there is none); `call` and `tool` are null for
what no call did. A run that was killed has no `end`, and its last line may be cut: it lacks its newline, which the next
run adds. A journal that is written to again holds several runs one after the other, each from its own seeded rows; the
last of them is the state. Knows effects, and neither calls nor faults.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

import msgspec

from squall.documents.nearby import near
from squall.errors import Position, Problem, UsageError, counted
from squall.version import __version__
from squall.worlds import Effect, World
from squall.worlds.tables.diffs import Snapshot

VERSION = 1
HEAD = b'{"journal":'
HINT = "Name a file that `squall serve --state` wrote."


def _claim(file: BinaryIO, path: Path) -> None:
    """Hold the file while it is written: the lines of two living servers could not be told apart."""
    try:
        import fcntl  # not on Windows, where nothing is held
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        message = f"another server is writing its state to {str(path)!r}"
        raise UsageError(Problem(message, hint="Give each server a file of its own.")) from None


def _opened(path: Path) -> BinaryIO:
    try:
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise UsageError(Problem(_not_written(path, error), hint="Name a file in a folder that is there.")) from None
    _claim(file, path)
    return file


def _not_written(path: Path, error: OSError) -> str:
    return f"cannot write the state to {str(path)!r}: {error.strerror or error}"


def check(path: Path) -> None:
    """Whether a journal could be written there now. Raises UsageError if not; leaves the place as it was."""
    there = path.exists()
    _opened(path).close()
    if not there:
        path.unlink(missing_ok=True)


class StateJournal:
    """Appends what happens to one world to one file. Raises UsageError where the file cannot be written.

    Where that comes to pass later (a full disk), nothing more is written, since effects would be missing before it:
    `broken` says why, and `at_break` is called with that. `differs` says what the file's last run had in place of what
    this one has, if anything.
    """

    def __init__(self, path: str | Path, world: World, *, run_index: int = 0) -> None:
        self.path = Path(path)
        self.broken: str | None = None
        self.at_break: Callable[[str], None] | None = None
        self._lock = Lock()
        self._file = _opened(self.path)
        what = {"world": world.name, "digest": world.digest, "seed": world.seed, "run_index": run_index}
        self.differs = _differs(self.path, what)
        tables = [{"table": name, "rows": rows} for name, rows in world.snapshot().items()]
        begin = b"\n" if _is_cut(self.path) else b""
        self._append({"journal": VERSION, "squall": __version__, **what}, *tables, begin=begin)
        if self.broken is not None:
            raise UsageError(Problem(self.broken))
        world.on_effect.append(self.effect)

    def effect(self, effect: Effect) -> None:
        """Append one effect."""
        call = effect.call
        self._append(
            {
                "rev": effect.rev,
                "t": effect.t,
                "table": effect.table,
                "op": effect.op,
                "id": effect.id,
                "row": effect.after,
                "call": None if call is None else call.id,
                "tool": None if call is None else call.tool,
            }
        )

    def end(self, status: str, revision: int) -> None:
        """The run is over: say so, and close the file. A second time does nothing."""
        if not self._file.closed:
            self._append({"end": status, "revision": revision})
        self.close()

    def close(self) -> None:
        """Write no more."""
        self._file.close()

    def _append(self, *lines: Mapping[str, Any], begin: bytes = b"") -> None:
        data = begin + b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        with self._lock:
            if not self._file.closed:  # a straggling effect of a run that has ended is not part of it
                self._write(data)

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[self._file.write(data) or 0 :]
        except OSError as error:
            self.broken = _not_written(self.path, error)
            self._file.close()
            if self.at_break is not None:
                self.at_break(self.broken)


class Folded(NamedTuple):
    """One run of a journal: what it was, and every row as it is in the end.

    `ended` is the run's status, None where it was killed or goes on; `notes` are sentences on what was left out. It is
    run number `run` of `runs`.
    """

    world: str
    digest: str
    seed: int
    run_index: int
    revision: int
    ended: str | None
    snapshot: Snapshot
    notes: tuple[str, ...]
    run: int
    runs: int


def fold(path: str | Path, *, run: int | None = None) -> Folded:
    """The state that a journal comes to, or that its run number `run` came to, from 1.

    Raises UsageError, with the line, for what is no journal.
    """
    reading = _Reading(str(path), run)
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                reading.take(number, line)
    except OSError as error:
        message = f"cannot read {str(path)!r}: {error.strerror or error}"
        raise UsageError(Problem(message, nearest=near(path), hint=HINT)) from None
    return reading.result()


class _Reading:
    """A journal while it is read, line by line."""

    def __init__(self, name: str, wanted: int | None) -> None:
        self._name, self._wanted = name, wanted
        self._found: Folded | None = None
        self._head: Mapping[str, Any] | None = None
        self._tables: dict[str, dict[str, Any]] = {}
        self._revision = 0
        self._ended: str | None = None
        self._cut: int | None = None
        self._whole = False
        self._runs = 0
        self._notes: list[str] = []

    def take(self, number: int, line: bytes) -> None:
        try:
            data = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            data = None
        if isinstance(data, dict) and "journal" in data:
            self._begin(number, data)
        elif self._head is None or self._cut is not None:
            raise self._wrong(self._cut or number, "this is no line of a state journal")
        elif not isinstance(data, dict):
            self._cut, self._whole = number, line.endswith(b"\n")  # of the last run, or another run follows
        elif self._ended is not None:
            raise self._wrong(number, "there is a line after the end of the run")
        else:
            self._fold(number, data)

    def result(self) -> Folded:
        if self._head is None:
            raise UsageError(Problem(f"the state journal {self._name!r} is empty", hint=HINT))
        if self._cut is not None and self._whole:
            raise self._wrong(self._cut, "this is no line of a state journal")
        self._end()
        if self._found is None:
            what = f"there is no run {self._wanted} in {self._name!r}, which holds {counted(self._runs, 'run')}"
            raise UsageError(Problem(what, hint="They count from 1."))
        if self._runs > 1:
            which = "the last one" if self._found.run == self._runs else f"run {self._found.run}"
            self._notes.append(f"{self._name} holds {self._runs} runs; this is the state of {which}")
        return self._found._replace(notes=tuple(self._notes), runs=self._runs)

    def _begin(self, number: int, head: Mapping[str, Any]) -> None:
        if head["journal"] != VERSION:
            what = f"journal format {head['journal']} is not known; this squall reads {VERSION}"
            raise self._wrong(number, what)
        if not {"world", "digest", "seed", "run_index"} <= head.keys():
            raise self._wrong(number, "this line names no world, digest, seed and run_index")
        self._end()
        self._head, self._tables, self._revision, self._ended = head, {}, 0, None
        self._runs += 1

    def _fold(self, number: int, line: Mapping[str, Any]) -> None:
        try:
            if "rows" in line:
                self._tables[line["table"]] = line["rows"]
            elif "end" in line:
                self._ended = line["end"]
                if line["revision"] != self._revision:
                    raise self._wrong(number, f"the run counts {line['revision']} effects, not {self._revision}")
            elif line["rev"] != self._revision + 1:
                raise self._wrong(number, f"revision {line['rev']} follows {self._revision}: lines are missing")
            else:
                self._revision = line["rev"]
                if line["row"] is None:
                    self._tables[line["table"]].pop(line["id"], None)
                else:
                    self._tables[line["table"]][line["id"]] = line["row"]
        except (KeyError, TypeError, AttributeError):
            raise self._wrong(number, "this is no line of a state journal") from None

    def _end(self) -> None:
        """The lines of a run are over, if there was one."""
        if self._cut is not None:
            self._notes.append(f"{self._name}:{self._cut}: the line is cut, so it was left out")
            self._cut = None
        if (head := self._head) is not None and self._wanted in (None, self._runs):
            what = (head["world"], head["digest"], head["seed"], head["run_index"])
            self._found = Folded(*what, self._revision, self._ended, self._tables, (), self._runs, self._runs)

    def _wrong(self, number: int, message: str) -> UsageError:
        return UsageError(Problem(message, Position(self._name, number), hint=HINT))


def _is_cut(path: Path) -> bool:
    """Whether the last line of a file has no end."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _differs(path: Path, what: Mapping[str, Any]) -> str | None:
    """What the last run in a file had in place of `what` is to be, in a sentence."""
    if not path.is_file():  # a device may have no end
        return None
    with path.open("rb") as file:
        heads = [line for line in file if line.startswith(HEAD)]
    try:
        last = msgspec.json.decode(heads[-1])
    except (IndexError, msgspec.DecodeError):
        return None
    words = {"world": "the world", "digest": "another content of the world's file", "seed": "seed", "run_index": "run"}
    other = {key for key in words if key in last and last[key] != what[key]}
    if "world" in other:
        other.discard("digest")
    if not other:
        return None
    had = [words[key] if key == "digest" else f"{words[key]} {last[key]}" for key in words if key in other]
    return f"the last run in {path} had {', '.join(had)}; this one begins afresh, behind it"
