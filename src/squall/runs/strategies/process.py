"""A program that is watched: started with its own children in a group, ended with all of them, its last words kept.

Waits in a running event loop, on real time. Knows no strategy and no run.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO

from squall.clock import real
from squall.clock.children import lives

LOOK = 0.02  # seconds between looks at it
GRACE = 2.0  # seconds between asking it to end and ending it
LINGER = 1.0  # seconds for the last of its output, once it has ended
PIECE = 2**16


class Tail:
    """Reads a pipe to its end in a thread, and keeps the last bytes of it."""

    def __init__(self, pipe: IO[bytes], most: int) -> None:
        self._pipe, self._most = pipe, most
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, name="squall-output", daemon=True)
        self._thread.start()

    def end(self, seconds: float) -> bytes:
        """What was read, once the pipe has ended or so many seconds have gone."""
        self._thread.join(seconds)
        return bytes(self._kept[-self._most :])

    def _read(self) -> None:
        with self._pipe:
            while piece := os.read(self._pipe.fileno(), PIECE):
                self._kept += piece
                if len(self._kept) > 2 * self._most:
                    del self._kept[: -self._most]


class Ended(Exception):
    """Whoever watches has had the program ended; `why` in words."""


class Process:
    """One run of a program. Raises OSError where it cannot be started."""

    def __init__(self, words: Sequence[str], environ: Mapping[str, str], *, output: int, errors: int) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the command that the user gave
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environ),
            start_new_session=True,  # a group of its own, so that its children end with it
        )
        assert self._process.stdout is not None  # noqa: S101 - both were asked for
        assert self._process.stderr is not None  # noqa: S101 - as above
        self._output, self._errors = Tail(self._process.stdout, output), Tail(self._process.stderr, errors)
        self.output = self.errors = b""

    async def wait(self, seconds: float, over: Callable[[], str | None]) -> int:
        """Its exit status, negative for a signal. By then its children have ended, and `output` and `errors` are there.

        Raises TimeoutError after so many seconds, and Ended once `over()` says why; it has ended by then.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        try:
            while self._lives():
                if why := over():
                    raise Ended(why)
                if loop.time() >= until:
                    raise TimeoutError
                await asyncio.sleep(LOOK)
        finally:
            self._end()
        return self._process.returncode

    def _end(self) -> None:
        """End it, if it lives, and what it has left behind. The group's number is its own until it is reaped."""
        if self._lives():
            self._signal(signal.SIGTERM)
            for _ in range(round(GRACE / LOOK)):
                if not self._lives():
                    break
                real.sleep(LOOK)
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self._process.wait()
        self.output, self.errors = self._output.end(LINGER), self._errors.end(LINGER)

    def _lives(self) -> bool:
        return lives(self._process.pid) if hasattr(os, "waitid") else self._process.poll() is None

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses where only zombies are left
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, number)
            else:  # Windows
                self._process.terminate()
