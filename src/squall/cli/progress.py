"""How far a long command is: a bar with rate and time left on a terminal, nothing elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self, TextIO

from squall.clock import real
from squall.runs.suite import Done

BAR = 24
OFTEN = 0.1  # seconds between two looks
MINUTE = 60


class Progress:
    """Counts runs as they come in. The rate is of those that were made, not of those that were found."""

    def __init__(self, total: int, to: TextIO) -> None:
        self._total, self._to = total, to
        self._shows = to.isatty()
        self._count = self._fresh = self._passed = 0
        self._began = self._shown = real.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.clear()

    def add(self, done: Done) -> None:
        """One more run."""
        self._count += 1
        self._fresh += done.fresh
        self._passed += done.record.status == "passed"
        now = real.monotonic()
        if self._shows and (now - self._shown >= OFTEN or self._count == self._total):
            self._shown = now
            self._to.write(f"\r\x1b[2K{self._line(now)}")
            self._to.flush()

    def clear(self) -> None:
        """Leave nothing on the line."""
        if self._shows:
            self._to.write("\r\x1b[2K")
            self._to.flush()

    def _line(self, now: float) -> str:
        full = round(BAR * self._count / self._total)
        rate = self._fresh / max(now - self._began, 1e-9)
        left = (self._total - self._count) / rate if rate else 0
        time = f"{left / MINUTE:.0f} min" if left > 2 * MINUTE else f"{left:.0f} s"
        bar = "█" * full + "░" * (BAR - full)
        return f"{bar} {self._count}/{self._total}  {self._passed} passed  {rate:.0f} runs/s  {time} left"
