"""The same conversation without a socket: for a sync client whose network is replaced below its own code.

What it writes goes to the parser, and its reading follows the steps: time passes on the run's clock in the thread that
reads, and each reading may have a timeout of its own, as `recv` has on a socket. Knows no client.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable
from typing import Any, cast

from squall.clock import Clock, VirtualClock, real
from squall.errors import LimitReached
from squall.interpose.drive import FOREVER
from squall.interpose.promises import to_its_end
from squall.wire.http.parser import MAX_BODY, Parser
from squall.wire.http.steps import Answer, Await, Disconnected, Fin, Refuse, Reset, Send, Step, Wait
from squall.wire.http.talk import READ, Part, Read, talk

BLOCK = 64 * 1024  # bytes that are held ready for reading
ROUNDING = 0.001  # seconds by which a wait may seem shorter than it was
MORE = Send(b"")
END = Fin()


class TimedOut(Exception):
    """Nothing came for as long as the reading would wait."""


class SyncConversation:
    """One connection of a sync client. Belongs to one thread at a time."""

    def __init__(self, answer: Answer, refuse: Refuse, clock: Clock, *, max_body: int = MAX_BODY) -> None:
        self._clock = clock
        self._parser = Parser(max_body)
        self._steps = talk(self._parser, answer, refuse)
        self._step: Step | Read | Part = READ  # what to do when all that was sent has been read
        self._left = 0.0  # seconds of it, if it is a wait
        self._out = bytearray()
        self._failure: Exception | None = None
        self._closed = False

    def write(self, data: bytes) -> None:
        """Send something. Where the server has closed, nobody reads it."""
        if self._closed:
            raise BrokenPipeError("the client has closed this connection")
        self._parser.feed(data)
        if isinstance(self._step, Read):
            self._resume()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes, `b""` at the end; what is sent with no time between comes together.

        Raises `TimedOut` when the timeout in seconds (None: none) passes without any, ConnectionResetError where the
        server breaks the connection, and LimitReached where the run ends before anything comes.
        """
        patience = _Patience(self._clock, timeout)
        while not self._out:
            step = self._step
            if isinstance(step, Send):
                self._resume()
            elif isinstance(step, Wait):
                self._wait(step, patience)
            elif isinstance(step, Await):
                self._await(step, patience)
            elif isinstance(step, Reset):
                self._end(step)
                raise ConnectionResetError("the server has broken the connection") from self._failure
            elif isinstance(step, Read):  # a server that nobody asks anything closes at last
                if patience.wait(FOREVER, capped=True):
                    raise TimedOut
                self._end(END)
            else:
                self._end(step)
                return b""
        data = bytes(self._out[:max_bytes])
        del self._out[:max_bytes]
        if self._step is MORE and len(self._out) < BLOCK:
            self._resume()  # now: a client that has all of a body does not read on to see that it was all
        return data

    @property
    def readable(self) -> bool:
        """Whether there is something to read although nothing was asked: the end, where the server has closed."""
        return bool(self._out) or not isinstance(self._step, Read)

    def close(self) -> None:
        """The client has closed the connection: an answer that is under way is told."""
        if not self._closed:
            self._closed, self._step = True, END
            self._out.clear()
            self._leave()

    def _resume(self, answer: Any = None, error: BaseException | None = None) -> None:
        """Go on with the steps up to the next that is no sending, or until enough is held."""
        try:
            step = self._steps.send(answer) if error is None else self._steps.throw(error)
            while isinstance(step, Send):
                self._out += step.data
                if len(self._out) >= BLOCK:
                    self._step = MORE
                    return
                step = self._steps.send(None)
        except Exception as caught:  # noqa: BLE001 - told to who reads, as the end of this connection
            self._step, self._failure = Reset(), caught
            return
        except BaseException:
            self._step = Reset()
            raise
        self._step = step
        if isinstance(step, Wait):
            self._left = FOREVER if step.forever else step.seconds

    def _wait(self, step: Wait, patience: _Patience) -> None:
        try:
            self._left = patience.wait(self._left, capped=step.capped or step.forever)
        except LimitReached as limit:  # the answer decides what it means
            self._resume(error=limit)
            return
        if self._left:
            raise TimedOut
        self._resume(_is_real(self._clock) or None)

    def _await(self, step: Await, patience: _Patience) -> None:
        self._step = MORE
        began = self._clock.elapsed()
        try:
            result = to_its_end(_whole(step.what))
        except (Exception, LimitReached) as error:  # noqa: BLE001 - as above
            self._resume(error=error)
        else:
            self._resume(result)
        patience.spend(self._clock.elapsed() - began)

    def _end(self, step: Step | Part) -> None:
        """The server's last step: the answer comes to its end, and no other begins."""
        self._step = step
        self._parser.stop()
        try:
            next(self._steps)
            self._steps.close()
        except StopIteration:
            return

    def _leave(self) -> None:
        self._parser.stop()
        try:
            self._steps.throw(Disconnected())
            self._steps.close()
        except (StopIteration, Disconnected):
            return


def _is_real(clock: Clock) -> bool:
    """Whether sync code waits in real time here. Threads that a virtual clock is not in charge of do."""
    return clock.mode == "wall" or not cast("VirtualClock", clock).is_mine()


class _Patience:
    """What is left of one reading's timeout."""

    def __init__(self, clock: Clock, timeout: float | None) -> None:
        self._clock = clock
        self._left = math.inf if timeout is None else timeout

    def wait(self, seconds: float, *, capped: bool) -> float:
        """Let time pass, as long as the reading allows. Gives what is left of a wait of so many seconds."""
        allowed = min(seconds, self._left)
        began, really = self._clock.elapsed(), real.monotonic()
        self._clock.sleep(allowed, capped=capped)
        passed = max(self._clock.elapsed() - began, real.monotonic() - really)
        self._left -= allowed
        if capped and passed < allowed - ROUNDING:  # wall time has cut the wait short: it is over
            return 0.0
        return seconds - allowed

    def spend(self, seconds: float) -> None:
        """Count what has passed. Raises `TimedOut` when that was more than the reading would wait."""
        self._left -= seconds
        if self._left < 0:
            raise TimedOut


async def _whole(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
