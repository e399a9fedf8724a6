"""Servers in processes of their own: what `squall serve --http` starts, and a bare one of the same SDK.

The bare server has one tool, built by hand on the SDK's lowest level, keeps its rows in a dict, and runs under uvicorn
as the SDK wants it. Knows no measurement.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from mcp import Client

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


async def described(url: str, tool: str) -> tuple[str, str]:
    """An answer of squall's and the tool as it lists it, for the bare server to give the same."""
    async with Client(url) as client:
        tools = (await client.list_tools()).tools
        answer = await client.call_tool(READ, ARGUMENTS[READ])
    found = next(each for each in tools if each.name == tool)
    return answer.content[0].text, found.model_dump_json(by_alias=True, exclude_none=True)  # type: ignore[union-attr]  # a text
