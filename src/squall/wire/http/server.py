"""HTTP/1.1 on asyncio: follows the steps of one answer after another, down to breaking a connection off.

An answer that only sends is followed where its request arrives, without a task; one begins where an answer waits, or
where the client does not read. Knows neither what is asked nor what is answered.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import msgspec

from squall.clock import Clock
from squall.errors import LimitReached
from squall.interpose.drive import FOREVER
from squall.wire.http.parser import MAX_BODY, Parser
from squall.wire.http.peer import still_reads
from squall.wire.http.steps import Answer, Await, Disconnected, Fin, Refuse, Reset, Send, Step, Stopped, Wait
from squall.wire.http.talk import Part, Read, talk

BACKLOG = 1024
BLOCK = 64 * 1024  # bytes that are put together before they are written
AHEAD = 64 * 1024  # bytes that a client may send ahead while it is being answered
DRAIN = 1024 * 1024 * 1024  # bytes that are read, and thrown away, for a client to come to read why it was refused
BREAK = struct.pack("ii", 1, 0)  # of SO_LINGER: closing sends RST


class Drain(msgspec.Struct, frozen=True):
    """Wait until the client has read."""


Next = Step | Read | Part | Drain
Foreign = Callable[[Any], bool]
"""Tells of a client's address whether nobody in the run's virtual time is there: its waits are real."""
DRAINED, BROKEN = Drain(), Reset()


class Connection(asyncio.Protocol):
    """One connection of a client. `among` holds it while it is open."""

    def __init__(
        self,
        answer: Answer,
        refuse: Refuse,
        clock: Clock,
        *,
        max_body: int = MAX_BODY,
        among: set[Connection] | None = None,
        foreign: Foreign | None = None,
    ) -> None:
        self._clock, self._foreign = clock, foreign
        self._parser = Parser(max_body)
        self._steps = talk(self._parser, answer, refuse)
        self._among = among
        self._transport: asyncio.Transport
        self._task: asyncio.Task[None] | None = None
        self._room: asyncio.Future[None] | None = None  # waited for while the client does not read
        self._blocked = self._full = self._ended = self._dropped = False
        self._drain: int | None = None

    # what asyncio tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The client is there."""
        self._transport = cast("asyncio.Transport", transport)
        if self._among is not None:
            self._among.add(self)

    def data_received(self, data: bytes) -> None:
        """Answer what is complete."""
        if self._drain is not None:
            self._drain -= len(data)
            if self._drain < 0:
                self._transport.abort()
            return
        self._parser.feed(data)
        if self._task is None:
            self._go_on(self._resume())
        elif self._parser.held > AHEAD and not self._full:
            self._full = True
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        """The client sends no more. Whether the connection stays open."""
        self._ended = True
        if self._task is None:
            return False
        sock = self._transport.get_extra_info("socket")
        if sock is None or not still_reads(sock):
            self._transport.abort()
        return True

    def pause_writing(self) -> None:
        """The client does not read."""
        self._blocked = True

    def resume_writing(self) -> None:
        """It has read."""
        self._blocked = False
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone, or was broken with."""
        if self._among is not None:
            self._among.discard(self)
        if self._task is None:
            self._leave()
        else:
            self._task.cancel()

    # what is done from outside

    def drop(self) -> asyncio.Task[None] | None:
        """Break it, whatever is under way; the task in which that ends."""
        self._dropped = True
        self._transport.abort()
        if self._task is not None:
            self._task.cancel()
        return self._task

    # following the steps

    def _resume(self, answer: Any = None, error: BaseException | None = None) -> Next:
        """Go on with the steps, and write all there is to send up to the next that is something else."""
        sent: list[bytes] = []
        size = 0
        try:
            step = self._steps.send(answer) if error is None else self._steps.throw(error)
            while isinstance(step, Send):
                sent.append(step.data)
                size += len(step.data)
                if size >= BLOCK or self._blocked:
                    self._write(sent)
                    size = 0
                    if self._blocked:
                        return DRAINED
                step = self._steps.send(None)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as caught:  # noqa: BLE001 - whatever it is, this connection alone ends, and no other
            self._report(caught)
            return BROKEN
        finally:
            self._write(sent)
        return step

    def _write(self, sent: list[bytes]) -> None:
        if sent and not self._transport.is_closing():
            self._transport.write(sent[0] if len(sent) == 1 else b"".join(sent))
        sent.clear()

    def _go_on(self, step: Next) -> None:
        """Do a step that takes no time, or leave it to a task."""
        if not isinstance(step, Read) and not self._done(step):
            self._task = asyncio.get_running_loop().create_task(self._follow(step))
            self._task.add_done_callback(self._followed)

    def _done(self, step: Next) -> bool:
        """Whether it was the connection's last step, which is done now."""
        if isinstance(step, Reset) and not self._transport.get_write_buffer_size():
            sock = self._transport.get_extra_info("socket")
            if sock is not None:
                with suppress(OSError):  # the client has broken it already
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, BREAK)
            self._transport.abort()
        elif isinstance(step, Fin):
            self._transport.close()
        elif isinstance(step, Part):
            self._part()
        else:
            return False
        self._finish()
        return True

    def _part(self) -> None:
        """Send no more, and read what comes without looking: to close now might lose what was sent."""
        if self._ended or not self._transport.can_write_eof():
            self._transport.close()
            return
        self._drain = DRAIN
        self._transport.write_eof()

    def _finish(self) -> None:
        """Let the answer come to its end, and no other begin."""
        self._parser.stop()
        try:
            next(self._steps)
            self._steps.close()
        except StopIteration:
            pass
        except Exception as error:  # noqa: BLE001 - as in _resume
            self._report(error)

    async def _follow(self, step: Next) -> None:
        while not isinstance(step, Read) and not self._done(step):
            try:
                result = await self._carry_out(step)
            except (Exception, LimitReached) as error:  # noqa: BLE001 - the answer decides what it means
                step = self._resume(error=error)
            else:
                step = BROKEN if isinstance(step, Reset) else self._resume(result)
        self._task = None
        if self._full:
            self._full = False
            self._transport.resume_reading()
        if self._ended:
            self._transport.close()

    async def _carry_out(self, step: Next) -> Any:
        if isinstance(step, Wait):
            return await self._wait(step)
        if isinstance(step, Await):
            return await step.what
        if isinstance(step, Drain | Reset):  # what was sent before it arrives
            if isinstance(step, Reset):
                self._transport.set_write_buffer_limits(0)
            while self._blocked:
                self._room = asyncio.get_running_loop().create_future()
                await self._room
        return None

    async def _wait(self, step: Wait) -> bool | None:
        """Let time pass. True where it was real time."""
        seconds, capped = FOREVER if step.forever else step.seconds, step.capped or step.forever
        real = self._clock.bounded(FOREVER) < FOREVER
        if self._foreign is not None and self._foreign(self._transport.get_extra_info("peername")):
            real, seconds = True, min(seconds, self._clock.wall_cap) if capped else seconds
        await self._clock.asleep(seconds, capped=capped)
        return real or None

    def _followed(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            self._task = None
            self._leave()
            self._transport.abort()
        elif (error := task.exception()) is not None:
            self._task = None
            self._report(error)
            self._transport.abort()

    def _leave(self) -> None:
        """Tell the answer that nobody reads it any more."""
        self._parser.stop()
        try:
            self._steps.throw(Stopped() if self._dropped else Disconnected())
            self._steps.close()
        except (StopIteration, Disconnected):
            pass
        except Exception as error:  # noqa: BLE001 - as in _resume
            self._report(error)

    def _report(self, error: BaseException) -> None:
        """Tell of an answer that failed. A run's limit is told of by its clock."""
        if not isinstance(error, LimitReached | Disconnected):
            about = {"message": "an answer failed; its connection is broken", "exception": error, "protocol": self}
            asyncio.get_running_loop().call_exception_handler(about)


class HttpServer:
    """HTTP for one answerer, in one event loop."""

    def __init__(
        self,
        answer: Answer,
        refuse: Refuse,
        clock: Clock,
        *,
        max_body: int = MAX_BODY,
        foreign: Foreign | None = None,
    ) -> None:
        self._answer, self._refuse, self._clock = answer, refuse, clock
        self._max_body, self._foreign = max_body, foreign
        self._connections: set[Connection] = set()

    @asynccontextmanager
    async def on(self, sock: socket.socket) -> AsyncIterator[None]:
        """Accept connections of a socket, which is closed in the end, with all of them."""
        loop = asyncio.get_running_loop()
        listener = await loop.create_server(self.connection, sock=sock, backlog=BACKLOG, start_serving=False)
        try:
            await listener.start_serving()  # waits a moment, in which a loop that runs but briefly may end
            yield
        finally:
            listener.close()
            await self.stop()

    def connection(self) -> asyncio.Protocol:
        """The protocol of one new connection."""
        return Connection(
            self._answer,
            self._refuse,
            self._clock,
            max_body=self._max_body,
            among=self._connections,
            foreign=self._foreign,
        )

    def drop(self) -> None:
        """Break every connection, whatever is under way on it."""
        for connection in list(self._connections):
            connection.drop()

    async def stop(self) -> None:
        """Break every connection and end what was being answered."""
        tasks = [task for connection in list(self._connections) if (task := connection.drop()) is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
