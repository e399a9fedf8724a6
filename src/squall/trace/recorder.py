"""Records the events of one run as chained lines. What is encoded at once cannot be changed by the agent later.

Knows no file: `Trace` reads the same lines, and whoever wants a file writes them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from squall.trace.kinds import Event
from squall.trace.line import GENESIS, encode, rest, seal


class Recorder:
    """Appends events to `lines`, each chained to the one before.

    `run` is `<test or scenario>#<run index>`; `elapsed` gives virtual seconds since the run began.
    """

    def __init__(self, run: str, elapsed: Callable[[], float]) -> None:
        self.run = run
        self.lines: list[bytes] = []
        self.ended = False
        self._run = encode(run.encode(errors="replace").decode())
        self._elapsed = elapsed
        self._prev = GENESIS
        self._lock = threading.Lock()

    @property
    def head(self) -> str:
        """The hash of the last line, 64 hexadecimal digits."""
        return self._prev.decode()

    def record(self, event: Event) -> None:
        """Append `event`. After the run has ended nothing is added: a straggling call must not break the count."""
        with self._lock:
            if not self.ended:
                self._append(event)

    def end(self, last: Callable[[int], Event]) -> None:
        """Append the last event, made from the number of events including itself."""
        with self._lock:
            if not self.ended:
                self._append(last(len(self.lines) + 1))
                self.ended = True

    def _append(self, event: Event) -> None:
        line, self._prev = seal(rest(self._prev, self._run, len(self.lines) + 1, self._elapsed(), event))
        self.lines.append(line)
