"""Where a run's server is, for agents that are given an address, or a command, and not an object."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from mcp.client.stdio import StdioServerParameters
from pydantic import PrivateAttr

from squall.errors import Problem, UsageError
from squall.store import fold
from squall.trace import Trace
from squall.wire.loopback import HOST, Loopback
from squall.wire.mcp.http import PATH, Endpoint
from squall.wire.mcp.listening import Http
from squall.wire.mcp.server import McpServer
from squall.worlds import World
from squall.worlds.tables.diffs import Snapshot

STATE, TRACE = "state.jsonl", "trace.jsonl"


class McpUrl(str):
    """An address, `http://127.0.0.1:PORT/mcp`, that also knows the state of the world behind it."""

    __slots__ = ("_world",)
    _world: World

    @classmethod
    @contextmanager
    def of(cls, server: McpServer, world: World) -> Iterator[Self]:
        """Serve a world while the context lives."""
        loopback = Loopback(partial(_serving, server), world.clock, name="mcp_url", path=PATH)
        try:
            url = cls(loopback.url)
            url._world = world
            yield url
        finally:
            loopback.close()

    def __copy__(self) -> Self:
        return self  # as any str

    def __deepcopy__(self, _memo: object) -> Self:
        return self  # whoever copies their settings does not want a world of their own

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)  # what goes to another process is the address alone

    def snapshot(self) -> Snapshot:
        """All rows of the world as they are now, by table and id. The world is the run's own: `world` says the same."""
        return self._world.snapshot()


@asynccontextmanager
async def _serving(server: McpServer) -> AsyncIterator[tuple[Http, asyncio.Event]]:
    """Serve in the running loop, until the server exits with its sessions."""
    endpoint, exited = Endpoint(server, HOST), asyncio.Event()
    with server.sessions.ending_by(exited.set):
        async with endpoint.running():
            yield Http(endpoint), exited


class McpProcess(StdioServerParameters):
    """How an MCP client starts the run's server as a process of its own, with the same world, seed and weather.

    It has its own copy of the world: what became of it is told by `snapshot()`, and what happened by `traces()`.
    """

    _folder: Path = PrivateAttr()

    @classmethod
    @contextmanager
    def of(cls, world: World, faults: Any, run_index: int) -> Iterator[Self]:
        """The parameters for one run: `faults` is a path, or rules. What the process writes goes with the context."""
        path = world.document.path
        if path is None:
            raise UsageError(Problem("a process needs the world as a file", hint="Name one, or use mcp_url."))
        with TemporaryDirectory(prefix="squall-") as name:
            folder = Path(name)
            options = ["--seed", str(world.seed), "--run-index", str(run_index)]
            options += ["--state", str(folder / STATE), "--record", str(folder / TRACE)]
            if faults is not None:
                options += ["--faults", _file_of(faults, folder)]
            made = cls(
                command=sys.executable,
                args=["-m", "squall", "serve", str(path.absolute()), *options],
                env=dict(os.environ),
            )
            made._folder = folder
            yield made

    def snapshot(self) -> Snapshot:
        """All rows of the process's world, by table and id; of the last process, where there were several.

        Raises UsageError where none was started.
        """
        return fold(self._folder / STATE).snapshot

    def traces(self) -> list[Trace]:
        """What happened in each process that was started, in order."""
        aside = sorted(self._folder.glob(f"{TRACE}.*"), key=lambda path: int(path.suffix[1:]))
        last = self._folder / TRACE
        return [Trace.load(path) for path in [*aside, *([last] if last.is_file() else [])]]


def _file_of(faults: Any, folder: Path) -> str:
    """A plan as a file: its own, or one that is written for it."""
    if isinstance(faults, str | Path):
        return str(Path(faults).absolute())
    path = folder / "plan.json"
    whole = faults if isinstance(faults, dict) and "faults" in faults else {"faults": faults}
    path.write_text(json.dumps(whole), encoding="utf-8")
    return str(path)
