"""A server of one run at an address of this machine, for clients in the same process.

It listens from the start and answers in whichever event loop the run is in: each loop on the run's virtual clock gets
its share of the socket, so that client and server wait on one clock. A client that comes while no such loop runs (plain
sync code, trio, a run on wall time) is answered in a thread, in real time. Knows clocks, and not what is served.
"""

from __future__ import annotations

import asyncio
import select
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from types import FrameType
from typing import Protocol
from weakref import ref

from squall.clock import Clock, VirtualClock, real
from squall.wire.sockets import reserve, url_of
from squall.wire.unheard import unheard

HOST = "127.0.0.1"
LOOK = 0.02  # seconds between looks at a connection that a loop ought to take
PATIENCE = 10  # looks, where the loop's thread waits for an answer itself
ENDURANCE = 50  # looks, where it does nothing: it may wait in a way that nobody knows
LAST = 1500  # looks, where it computes and does not come to its connections
NOTHING = 0.05  # of a thread's time; one that computes has more, on a busy machine too
# Where a thread is that waits for an answer, or for others who wait for one.
WAITING = {
    "socket", "ssl", "http", "httpcore", "httpcore2", "urllib3", "threading", "concurrent", "queue", "subprocess",
    "multiprocessing",
}  # fmt: skip
DAY = 86_400


class Http(Protocol):
    """What serves in one event loop."""

    def connection(self) -> asyncio.Protocol:
        """The protocol of one new connection."""
        ...

    def on(self, sock: socket.socket) -> AbstractAsyncContextManager[None]:
        """Accept connections of a socket, which is closed in the end, with all of them."""
        ...

    async def stop(self) -> None:
        """Break every connection and end what was being answered."""
        ...


Serving = Callable[[], AbstractAsyncContextManager[tuple[Http, asyncio.Event]]]
"""Begins to serve in the running loop. When the event is set this server is over, and another one begins."""


class Loopback:
    """Serves from its making until `close()`. Belongs to the thread that made it, as its clock does.

    `name` is what people call the address.
    """

    def __init__(self, serving: Serving, clock: Clock, *, name: str, path: str = "") -> None:
        self._serving, self._clock, self._name = serving, clock, name
        self._socket = reserve(HOST)
        self.url = url_of(self._socket, path)
        self._owner = threading.get_ident()
        self._loops: list[ref[asyncio.AbstractEventLoop]] = []
        self._tasks: dict[asyncio.AbstractEventLoop, asyncio.Task[None]] = {}
        self._thread = _Thread(serving, self._socket, self._is_taken, self._took, self._owner)
        if isinstance(clock, VirtualClock):
            clock.welcome(self._join)

    def close(self) -> None:
        """Stop listening, and end what is being answered."""
        self._thread.stop()
        self._socket.close()
        for loop, task in list(self._tasks.items()):
            _end(loop, task)

    def _join(self, loop: asyncio.AbstractEventLoop) -> None:
        """A loop is on the run's clock: it will serve as soon as it runs."""
        self._loops.append(ref(loop))
        loop.call_soon(self._start, loop)

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._socket.fileno() >= 0:  # still open
            task = self._tasks[loop] = loop.create_task(_apart(self._serving, self._socket))
            task.add_done_callback(lambda _: self._tasks.pop(loop, None))
            _end_before_closing(loop, task)

    def _is_taken(self, *, blocked: bool) -> bool:
        """Whether a loop of the run runs; `blocked`: one that no client in sync code keeps waiting."""
        runs = any((loop := each()) is not None and loop.is_running() for each in self._loops)
        return runs and not (blocked and _waits_for_an_answer(self._owner))

    def _took(self) -> None:
        if isinstance(self._clock, VirtualClock):
            self._clock.note(in_a_thread(self._name))


def _end(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    if loop.is_closed() or task.done():
        return
    task.cancel()
    if not loop.is_running():
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)


def _end_before_closing(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    """Whoever made the loop by hand closes it without ending its tasks, and asyncio would tell them of this one."""
    original = loop.close

    def close() -> None:
        vars(loop).pop("close", None)
        _end(loop, task)
        original()

    loop.close = close  # type: ignore[method-assign]  # of this loop alone


def in_a_thread(name: str) -> str:
    """The note on a run whose server answered in real time."""
    return f"the server of {name} answered in a thread, in real time, because the client came without an event loop"


async def _apart(serving: Serving, sock: socket.socket) -> None:
    """Serve whatever the loop's owner ends after an agent's run."""
    await unheard(serve(serving, sock))


async def serve(serving: Serving, sock: socket.socket) -> None:
    """Serve in the running loop until cancelled; a server that exits is there again at once.

    The socket stays open: this loop has a share of it.
    """
    while True:
        async with serving() as (http, over), http.on(sock.dup()):
            while not over.is_set():  # with a timer, or a loop where nobody ever calls would wait without end
                with suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), DAY)


class _Thread:
    """Takes the connections that no loop takes. Costs nothing until one does."""

    def __init__(
        self,
        serving: Serving,
        sock: socket.socket,
        is_taken: Callable[..., bool],
        took: Callable[[], None],
        owner: int,
    ) -> None:
        self._serving, self._socket, self._is_taken, self._took = serving, sock, is_taken, took
        self._owner = owner
        self._loop = asyncio.SelectorEventLoop()
        self._asked, self._ended = asyncio.Event(), asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="squall-http", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it, with its connections."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_ended())

    async def _until_ended(self) -> None:
        """Take connections until `stop`.

        Only the taking is cancelled, and ends what it began: the SDK's tasks must not be cancelled before they start.
        """
        taking = asyncio.ensure_future(self._take())
        await self._ended.wait()
        taking.cancel()
        with suppress(asyncio.CancelledError):
            await taking

    async def _take(self) -> None:
        """Accept what waits at the socket while no loop does."""
        await self._somebody()
        while True:
            async with self._serving() as (http, over):
                accepting = self._loop.create_task(self._accept(http))
                try:
                    await over.wait()
                finally:
                    accepting.cancel()
                    await http.stop()

    async def _accept(self, http: Http) -> None:
        while True:
            with suppress(BlockingIOError):  # a loop has taken it by now
                connection, _ = self._socket.accept()
                await self._loop.connect_accepted_socket(http.connection, connection)
                self._took()
            await self._somebody()

    async def _somebody(self) -> None:
        """Wait for a connection that no loop takes."""
        while True:
            self._loop.add_reader(self._socket, self._asked.set)
            await self._asked.wait()
            self._loop.remove_reader(self._socket)
            self._asked.clear()
            before = real.worked(self._owner)
            for looked in range(LAST):
                rests = real.worked(self._owner) - before < NOTHING * LOOK * looked
                if not self._is_taken(blocked=rests and looked >= PATIENCE):
                    return
                if rests and looked >= ENDURANCE:
                    return
                await asyncio.sleep(LOOK)
                if not select.select([self._socket], [], [], 0)[0]:
                    break
            else:
                return


def _waits_for_an_answer(thread: int) -> bool:
    """Whether a thread is inside code that waits for an answer, where it will stay until somebody is answered."""
    frame = sys._current_frames().get(thread)  # noqa: SLF001 - what debuggers use
    while frame is not None and _room(frame) in {"selectors", "squall"}:  # in whose name they wait is what matters
        frame = frame.f_back
    return frame is not None and _room(frame) in WAITING


def _room(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]
