"""Records the events of one run as chained lines. What is encoded at once cannot be changed by the agent later.

In memory, where `Trace` reads them, or straight into a file, for runs that may go on for long. In memory the chain is
made when somebody looks: most runs that are explored are never read as lines.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path

from squall.errors import Problem, UsageError
from squall.trace.asked import Conversations
from squall.trace.kinds import Event
from squall.trace.line import GENESIS, encode, rest, seal, tail, tail_of
from squall.trace.meeting import Meeting

Make = Callable[[], Event | Iterable[Event] | None]


class Recorder:
    """Appends events to `lines`, each chained to the one before.

    `run` is `<test or scenario>#<run index>`; `elapsed` gives virtual seconds since the run began.
    """

    most_waiting = 256  # events: what waits holds on to memory

    def __init__(self, run: str, elapsed: Callable[[], float]) -> None:
        self.run = run
        self._lines: list[bytes] = []
        self._unchained: list[bytes] = []
        self._waiting: deque[tuple[float, Event | Make]] = deque()
        self._settling = False
        self.count = 0
        self.ended = False
        self.conversations = Conversations()
        self.meeting = Meeting()
        self.before_end: list[Callable[[], None]] = []
        self._run = encode(run.encode(errors="replace").decode())
        self.elapsed = elapsed
        self._prev = GENESIS
        self._lock = threading.RLock()

    @property
    def lines(self) -> list[bytes]:
        """The lines so far: the same list each time. It grows when somebody asks for it again."""
        self.settle()
        if self._unchained:
            with self._lock:
                for said in self._unchained:
                    self._lines.append(self._chained(said, len(self._lines) + 1))
                self._unchained.clear()
        return self._lines

    @property
    def tails(self) -> list[bytes]:
        """What each line says, from its time on: all but what chains it."""
        self.settle()
        with self._lock:
            return [*map(tail_of, self._lines), *self._unchained]

    @property
    def written(self) -> int:
        """How many events there are so far."""
        self.settle()
        return self.count

    @property
    def head(self) -> str:
        """The hash of the last line, 64 hexadecimal digits."""
        _ = self.lines  # which chains them
        return self._prev.decode()

    def record(self, event: Event) -> None:
        """Append `event`. After the run has ended nothing is added: a straggling call must not break the count."""
        with self._lock:
            if self.ended:
                return
            if self._settling:  # what is made just now records something itself
                self._waiting.append((self.elapsed(), event))
                return
            if self._waiting:
                self.settle()
            self._append(event, self.elapsed())

    def later(self, event: Event | Make, at: float | None = None) -> None:
        """Append an event, or what makes it, that nobody can change any more: written when somebody looks.

        It has the time of now, or `at` where the caller has just looked at the clock, and its place in the order. What
        makes it may give several, or None, and must not raise.
        """
        if self.ended:
            return
        self._waiting.append((self.elapsed() if at is None else at, event))  # which needs no lock
        if len(self._waiting) >= self.most_waiting:
            self.settle()

    def settle(self) -> None:
        """Write what waits."""
        if not self._waiting:
            return
        with self._lock:
            if self._settling:
                return
            self._settling = True
            try:
                while self._waiting and not self.ended:
                    elapsed, made = self._waiting.popleft()
                    found = made if isinstance(made, Event) else made()
                    for event in (found,) if isinstance(found, Event) else found or ():
                        self._append(event, elapsed)
            finally:
                self._settling = False

    def end(self, last: Callable[[int], Event]) -> None:
        """Append the last event, made from the number of events including itself."""
        with self._lock:
            open_, self.before_end = self.before_end, []
        for tell in open_:  # who says what is open yet came to
            tell()
        with self._lock:
            if not self.ended:
                self.settle()
                self._append(last(self.count + 1), self.elapsed())
                self.ended = True
                self._close()

    def _append(self, event: Event, elapsed: float) -> None:
        said = tail(elapsed, event)
        self.count += 1
        self._keep(said)

    def _keep(self, said: bytes) -> None:
        self._unchained.append(said)

    def _chained(self, said: bytes, number: int) -> bytes:
        line, self._prev = seal(rest(self._prev, self._run, number, said))
        return line

    def _close(self) -> None:
        """Nothing comes any more."""


class FileRecorder(Recorder):
    """Writes each line into a file at once and keeps none: a killed process loses nothing, and memory is bounded.

    An earlier trace of that name is kept: it is renamed to `trace.jsonl.1`, the next one to `trace.jsonl.2`. Raises
    UsageError where the file cannot be written. Where that comes to pass later (a full disk), whoever records is told
    by an error, or, where there is an `at_break`, that function is, and nothing more is written.
    """

    most_waiting = 1
    broken: str | None = None
    at_break: Callable[[str], None] | None = None

    def __init__(self, run: str, elapsed: Callable[[], float], path: str | Path) -> None:
        super().__init__(run, elapsed)
        try:
            _set_aside(Path(path))
            self._file = Path(path).open("wb", buffering=0)  # noqa: SIM115 - it is open as long as the run
        except OSError as error:
            message = _not_written(path, error)
            raise UsageError(Problem(message, hint="Name a file in a folder that is there.")) from None
        self._path = path

    def _keep(self, said: bytes) -> None:
        if self.broken is not None:
            return
        line = self._chained(said, self.count) + b"\n"
        try:
            while line:  # what is nearly full takes a part
                line = line[self._file.write(line) or 0 :]
        except OSError as error:
            if self.at_break is None:
                raise
            self.broken = _not_written(self._path, error)
            self.at_break(self.broken)

    def _close(self) -> None:
        self._file.close()


def _not_written(path: str | Path, error: OSError) -> str:
    return f"cannot write the trace to {str(path)!r}: {error.strerror or error}"


def _set_aside(path: Path) -> None:
    """Rename an earlier trace to the first name with a number that is free."""
    if path.is_file() and path.stat().st_size:
        names = (path.with_name(f"{path.name}.{number}") for number in count(1))
        path.rename(next(name for name in names if not name.exists()))
