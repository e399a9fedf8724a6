"""The numbers of a run's calls, over all wires: each call has one of its own, in order of arrival."""

from __future__ import annotations

import threading


class Numbers:
    """Gives 1, 2, …, to whichever thread asks; `last` is the latest."""

    def __init__(self) -> None:
        self.last = 0
        self._lock = threading.Lock()

    def __call__(self) -> int:
        """The next number."""
        with self._lock:
            self.last += 1
            return self.last
