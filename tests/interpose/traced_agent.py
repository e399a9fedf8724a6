"""An agent over the official client in mixed weather; as a program it writes the trace of run 0 to its output."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

import mcp

import squall

ERRORS = {"timeout": 0.2, "http_503": 0.1, "wrong_value": 0.1, "missing_field": 0.1}
RULES = {"default": {"errors": ERRORS, "latency_ms": [20, 900]}}


async def agent(run: squall.world) -> None:
    async with mcp.Client(run.mcp_server, read_timeout_seconds=30) as client:
        for n in range(12):
            calls: tuple[tuple[str, dict[str, Any]], ...] = (
                ("pay", {"order_id": "1", "amount": n}),
                ("get_order", {"id": "1"}),
            )
            for tool, args in calls:
                with contextlib.suppress(Exception):
                    await client.call_tool(tool, args)
        slow = [client.call_tool("pay_slowly", {"order_id": "1", "amount": n}) for n in range(5)]
        await asyncio.gather(*slow, return_exceptions=True)


def trace(path: str | Path, index: int) -> bytes:
    with squall.world(path, faults=RULES, seed=3, run_index=index) as run:
        asyncio.run(agent(run))
    return b"\n".join(run.trace.lines)


if __name__ == "__main__":
    sys.stdout.buffer.write(trace(sys.argv[1], 0))
