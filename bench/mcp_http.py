"""MCP over HTTP: `squall serve --http` against a bare server of the same SDK, each in a process of its own, in turns.

The official client calls one tool again and again: a read, and a write with the state journal on and off. The bare
server has one tool built by hand on the SDK's lowest level, keeps its rows in a dict, and runs under uvicorn as the SDK
wants it. Connecting and the first calls are not timed. Seconds are real ones, as a client waits them, and on Linux also
the servers' own CPU time, which other processes blur less.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from _table import MADE, Figure, at_least, median, plain, quiet, show
from _worlds import world_of
from mcp import Client

CALLS = 150
WARM = 20
ROUNDS = 9
LEAST = 0.85
ROWS = 1000
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
READ, WRITE = "get_order", "create_order"
ARGUMENTS: dict[str, dict[str, Any]] = {READ: {"id": "7"}, WRITE: {"customer": "3", "status": "placed", "total": 25.5}}
BARE = """\
import json, sys
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server

row = json.loads(sys.argv[1])
tool = types.Tool.model_validate_json(sys.argv[2])
made = {}

async def list_tools(context, params):
    return types.ListToolsResult(tools=[tool])

async def call_tool(context, params):
    if tool.name == "create_order":
        made[str(len(made))] = answer = {**row, **params.arguments, "id": str(len(made))}
    else:
        answer = row
    text = json.dumps(answer, ensure_ascii=False)
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer)

server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
config = uvicorn.Config(server.streamable_http_app(), port=0, log_level="warning", access_log=False)
served = uvicorn.Server(config)

async def main():
    import asyncio
    task = asyncio.create_task(served.serve())
    while not served.started:
        await asyncio.sleep(0.01)
    port = served.servers[0].sockets[0].getsockname()[1]
    print(f"bare at http://127.0.0.1:{port}/mcp (here)", file=sys.stderr, flush=True)
    await task

import asyncio
asyncio.run(main())
"""


class Served(NamedTuple):
    """A server in a process of its own."""

    url: str
    pid: int

    def cpu(self) -> float:
        """CPU seconds that the process has used; 0 where nobody can tell."""
        stat = Path(f"/proc/{self.pid}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def started(*command: str) -> Iterator[Served]:
    """Start a server that says where it is."""
    with subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert " at http" in said, said + process.stderr.read()
        try:
            yield Served(said.split(" at ")[1].split()[0], process.pid)
        finally:
            process.terminate()
            process.stderr.read()


async def asked(served: Served, tool: str, mode: str) -> tuple[float, float]:
    """Real seconds and the server's CPU seconds of all the calls."""
    async with Client(served.url, mode=mode) as client:
        await client.list_tools()
        for _ in range(WARM):
            answer = await client.call_tool(tool, ARGUMENTS[tool])
        with quiet():
            began, cpu = perf_counter(), served.cpu()
            for _ in range(CALLS):
                answer = await client.call_tool(tool, ARGUMENTS[tool])
            took = perf_counter() - began, served.cpu() - cpu
    assert not answer.is_error, answer
    return took


def compared(servers: dict[str, Served], tool: str, mode: str) -> dict[str, list[tuple[float, float]]]:
    """Seconds by server, in turns."""
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in servers}
    for number in range(ROUNDS):
        for name in servers if number % 2 else reversed(servers):
            took[name].append(asyncio.run(asked(servers[name], tool, mode)))
    return took


async def described(url: str, tool: str) -> tuple[str, str]:
    """An answer of squall's and the tool as it lists it, for the bare server to give the same."""
    async with Client(url) as client:
        tools = (await client.list_tools()).tools
        answer = await client.call_tool(READ, ARGUMENTS[READ])
    found = next(each for each in tools if each.name == tool)
    return answer.content[0].text, found.model_dump_json(by_alias=True, exclude_none=True)  # type: ignore[union-attr]  # a text


def figures_of(words: str, took: dict[str, list[tuple[float, float]]]) -> Iterator[Figure]:
    real = {name: median(seconds for seconds, _ in times) for name, times in took.items()}
    cpu = {name: median(seconds for _, seconds in times) for name, times in took.items()}
    for name, seconds in real.items():
        yield plain(f"{words}: {name}", CALLS / seconds, "calls/s")
    for name, times in took.items():
        if name != "bare":
            ratio = median(bare[0] / ours[0] for bare, ours in zip(took["bare"], times, strict=True))
            yield at_least(f"{words}: {name} / bare", ratio, LEAST, "times")
            if all(cpu.values()):
                yield plain(f"{words}: {name} / bare, by the servers' CPU time", cpu["bare"] / cpu[name], "times")


def main() -> None:
    world = str(world_of(ROWS))
    MADE.mkdir(parents=True, exist_ok=True)
    journal = MADE / "http-state.jsonl"
    journal.unlink(missing_ok=True)
    serve = ("-m", "squall", "serve", world, "--http", "--port", "0")
    figures: list[Figure] = []
    with ExitStack() as stack:
        ours = stack.enter_context(started(*serve))
        kept = stack.enter_context(started(*serve, "--state", str(journal)))
        for words, tool, mode in (
            ("read", READ, "auto"),
            ("read in a session", READ, "legacy"),
            ("write", WRITE, "auto"),
        ):
            with started("-c", BARE, *asyncio.run(described(ours.url, tool))) as bare:
                servers = {"squall": ours, "squall, journal on": kept, "bare": bare}
                figures += figures_of(words, compared(servers, tool, mode))
    assert journal.read_text().count('"op":"insert"') == ROUNDS * (CALLS + WARM), "each write is in the journal"
    show("MCP over HTTP", figures)


if __name__ == "__main__":
    main()
