"""stdio: the SDK's transport over lines that are bounded, and an answer for each that is no message.

The SDK reads lines of any length and drops what it cannot read. A line of JSON-RPC that is broken is owed an answer
(JSON-RPC 2.0, section 5.1), and a line without end must not fill the memory. Knows no faults.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from queue import SimpleQueue
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

LARGEST = 4 * 2**20  # bytes of one message
CHUNK = 2**16
TOO_LARGE = f"the message is larger than {LARGEST} bytes"


class Lines:
    """The lines that come in at a file descriptor, as the SDK reads them: an async iterator of texts.

    Read in a thread of its own, which needs not end: what blocks there must keep nobody from leaving. A line that is
    too long comes as an empty one, after `on_too_long` was told.
    """

    def __init__(self, fd: int, on_too_long: Callable[[], None]) -> None:
        self._fd, self._on_too_long = fd, on_too_long
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

    async def __aiter__(self) -> AsyncIterator[str]:
        """Each line without its end; the last one may lack it."""
        kept, skipping = b"", False
        while chunk := await self._chunks.get():
            self._wanted.release()
            *whole, rest = (kept + chunk).split(b"\n")
            if whole and skipping:
                whole, skipping = whole[1:], False
            for line in whole:
                if len(line) > LARGEST:
                    self._on_too_long()
                elif line.strip():
                    yield line.decode(errors="replace")
            kept = b"" if skipping else rest
            if len(kept) > LARGEST:
                kept, skipping = b"", True
                self._on_too_long()
        if kept.strip():
            yield kept.decode(errors="replace")


class Out:
    """Where the SDK writes its lines: a thread of its own, so that a client that does not read blocks nobody else."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[tuple[bytes, asyncio.Future[None]]] = SimpleQueue()
        self.closed = False
        threading.Thread(target=self._write, name="squall-stdout", daemon=True).start()

    async def write(self, text: str) -> None:
        """Write a message with its newline; what comes once it is closed goes nowhere."""
        if not self.closed:
            done = self._loop.create_future()
            self._jobs.put((text.encode(), done))
            await done

    async def flush(self) -> None:
        """All is written already."""

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


@asynccontextmanager
async def streams(fd_in: int, out: Out) -> AsyncIterator[tuple[Any, Any]]:
    """The SDK's stdio transport between two file descriptors: a stream of messages in and one of messages out."""
    refused: list[types.JSONRPCError] = []
    waiting = asyncio.Event()

    def too_long() -> None:
        refused.append(error_of(types.INVALID_REQUEST, TOO_LARGE))
        waiting.set()

    lines: Any = Lines(fd_in, too_long)
    put: Any = out
    async with stdio_server(lines, put) as (incoming, outgoing):
        heard, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def answer(error: types.JSONRPCError) -> None:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await outgoing.send(SessionMessage(error))

        async def listen() -> None:
            async with heard, incoming:
                async for item in incoming:
                    if isinstance(item, Exception):
                        await answer(refusal(item))
                    else:
                        await heard.send(item)

        async def refuse() -> None:
            while True:
                await waiting.wait()
                waiting.clear()
                while refused:
                    await answer(refused.pop(0))

        async with messages, anyio.create_task_group() as group:
            group.start_soon(listen)
            group.start_soon(refuse)
            try:
                yield messages, outgoing
            finally:
                group.cancel_scope.cancel()


async def serve(server: Server[Any], fd_in: int, out: Out) -> None:
    """Serve one client until its side closes."""
    async with streams(fd_in, out) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def refusal(error: Exception) -> types.JSONRPCError:
    """The answer to a line that is no message of JSON-RPC, with the id that it names, if it does."""
    found = error.errors(include_url=False, include_context=False) if isinstance(error, ValidationError) else []
    if not found or found[0]["type"] == "json_invalid":
        return error_of(types.PARSE_ERROR, "Parse error")
    given = next((each["input"] for each in found if isinstance(each["input"], dict)), {})
    name = given.get("id")
    known = isinstance(name, str | int) and not isinstance(name, bool)
    return error_of(types.INVALID_REQUEST, "Invalid Request", name if known else None)


def error_of(code: int, message: str, name: str | int | None = None) -> types.JSONRPCError:
    """An error of the protocol."""
    return types.JSONRPCError(jsonrpc="2.0", id=name, error=types.ErrorData(code=code, message=message))


def take_standard_streams() -> tuple[int, int]:
    """Keep standard input and output for the protocol: what anybody else prints from now on goes to standard error."""
    fd_in, fd_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return fd_in, fd_out
