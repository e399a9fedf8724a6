"""stdio: messages of JSON-RPC in lines that are bounded, and an answer for each line that is no message.

The SDK's own transport reads lines of any length, drops what it cannot read, and leaves calls unanswered when the input
ends. A broken line is owed an answer (JSON-RPC 2.0, section 5.1), a line without end must not fill the memory, and
whoever pipes requests in has them answered. Knows no faults.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from queue import SimpleQueue
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from squall.wire.mcp.envelopes import NoMessage, error_of, message_of

LARGEST = 4 * 2**20  # bytes of one message
CHUNK = 2**16
TOO_LARGE = f"the message is larger than {LARGEST} bytes"
PATIENCE = 5.0
"""Seconds that calls have left when the input has ended."""
MOST = 1000
"""Requests that may wait for their answers. No more is read before some are answered, or a client that does not read
its answers would fill the memory."""
ENDLESS = "subscriptions/listen"  # a request that is answered when its client has enough of it


class Lines:
    """The lines that come in at a file descriptor.

    Read in a thread of its own, which needs not end: what blocks there must keep nobody from leaving.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._wanted = threading.Semaphore(2)
        threading.Thread(target=self._read, name="squall-stdin", daemon=True).start()

    def _read(self) -> None:
        while True:
            self._wanted.acquire()
            try:
                chunk = os.read(self._fd, CHUNK)
            except OSError:
                chunk = b""
            with suppress(RuntimeError):  # the loop may have ended
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            if not chunk:
                return

    async def __aiter__(self) -> AsyncIterator[bytes | None]:
        """Each line that is not empty, without its end, which the last one may lack; None for one that is too long."""
        kept, skipping = b"", False
        while chunk := await self._chunks.get():
            self._wanted.release()
            *whole, rest = (kept + chunk).split(b"\n")
            if whole and skipping:
                whole, skipping = whole[1:], False
            for line in whole:
                if len(line) > LARGEST:
                    yield None
                elif line.strip():
                    yield line
            kept = b"" if skipping else rest
            if len(kept) > LARGEST:
                kept, skipping = b"", True
                yield None
        if kept.strip():
            yield kept


class Out:
    """Where lines are written: a thread of its own, so that a client that does not read blocks nobody else."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[tuple[bytes, asyncio.Future[None]]] = SimpleQueue()
        self.closed = False
        threading.Thread(target=self._write, name="squall-stdout", daemon=True).start()

    async def write(self, data: bytes) -> None:
        """Write a message with its newline; what comes once it is closed goes nowhere."""
        if not self.closed:
            done = self._loop.create_future()
            self._jobs.put((data, done))
            await done

    def _write(self) -> None:
        while True:
            data, done = self._jobs.get()
            view = memoryview(data)
            with suppress(OSError):  # nobody reads any more: what comes in will end as well
                while view and not self.closed:
                    view = view[os.write(self._fd, view) :]
            with suppress(RuntimeError):  # the loop may have ended
                self._loop.call_soon_threadsafe(_settle, done)


def _settle(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


class Owed:
    """The requests that came in and wait for their answer."""

    def __init__(self) -> None:
        self._ids: Counter[str] = Counter()
        self._endless: set[str] = set()
        self._settled = asyncio.Event()

    def heard(self, message: types.JSONRPCMessage) -> None:
        """Note what a message asks for; a request that is cancelled is owed nothing any more."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids[str(message.id)] += 1
            if message.method == ENDLESS:
                self._endless.add(str(message.id))
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    def refused(self, answer: types.JSONRPCError) -> None:
        """Note what is owed to a line that is no message; its id may be that of a request."""
        self._ids[str(answer.id)] += 1

    def told(self, message: types.JSONRPCMessage) -> None:
        """Note what a message answers."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._settle(message.id)

    async def nothing(self) -> None:
        """Wait until nobody waits but those who listen."""
        while not self._ids.keys() <= self._endless:
            await self._less()

    async def room(self) -> None:
        """Wait until one more may wait."""
        while self._ids.total() >= MOST:
            await self._less()

    async def _less(self) -> None:
        self._settled.clear()
        await self._settled.wait()

    def _settle(self, name: object) -> None:
        self._ids -= Counter([str(name)])  # and drop what is at zero
        self._endless &= self._ids.keys()
        self._settled.set()


@asynccontextmanager
async def streams(fd_in: int, out: Out) -> AsyncIterator[tuple[Any, Any]]:
    """A transport for the SDK between two file descriptors: a stream of messages in and one of messages out.

    When the input has ended, the one in ends as soon as all is answered that was asked, or after `PATIENCE`.
    """
    heard, incoming = anyio.create_memory_object_stream[SessionMessage](0)
    outgoing, told = anyio.create_memory_object_stream[SessionMessage](0)
    owed = Owed()
    async with anyio.create_task_group() as group, incoming, outgoing:
        group.start_soon(_write, told, out, owed)
        reading = anyio.CancelScope()
        group.start_soon(_read, Lines(fd_in), heard, outgoing.clone(), owed, reading)
        try:
            yield incoming, outgoing
        finally:
            reading.cancel()


async def _read(
    lines: Lines,
    heard: MemoryObjectSendStream[SessionMessage],
    outgoing: MemoryObjectSendStream[SessionMessage],
    owed: Owed,
    scope: anyio.CancelScope,
) -> None:
    """Pass on each message that comes in, and answer what is none."""
    with scope, suppress(anyio.BrokenResourceError):  # nobody listens any more
        async with heard, outgoing:
            async for line in lines:
                await owed.room()
                try:
                    message = _message(line)
                except NoMessage as none:
                    owed.refused(none.answer)
                    await outgoing.send(SessionMessage(none.answer))
                else:
                    owed.heard(message)
                    await heard.send(SessionMessage(message))
            with anyio.move_on_after(PATIENCE):
                await owed.nothing()


def _message(line: bytes | None) -> types.JSONRPCMessage:
    if line is None:
        raise NoMessage(error_of(types.INVALID_REQUEST, TOO_LARGE))
    return message_of(line)


async def _write(told: MemoryObjectReceiveStream[SessionMessage], out: Out, owed: Owed) -> None:
    """Write each message that goes out."""
    async with told:
        async for each in told:
            text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            await out.write(f"{text}\n".encode())
            owed.told(each.message)


async def serve(server: Server[Any], fd_in: int, out: Out) -> None:
    """Serve one client until its side closes."""
    async with streams(fd_in, out) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def take_standard_streams() -> tuple[int, int]:
    """Keep standard input and output for the protocol: what anybody else prints from now on goes to standard error."""
    fd_in, fd_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return fd_in, fd_out
