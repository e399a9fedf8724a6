"""What a timeout costs on the wall: clients' own deadlines, waits and backoff on the run's virtual clock."""

from __future__ import annotations

import asyncio
import time
from time import perf_counter
from typing import Any

from _table import ROOT, Figure, at_most, median, plain, quiet, show
from mcp import Client
from mcp.shared.exceptions import MCPError

import squall

SHOP = ROOT / "examples" / "shop" / "worlds" / "shop.yaml"
ROUNDS = 50
WARM = 5
HANGS: list[dict[str, Any]] = [{"target": "orders.get_order", "kind": "timeout"}]
LIMITS = {"calls": 10**9, "seconds": 10**9}
Cost = tuple[float, float]  # virtual seconds, seconds on the wall


def main() -> None:
    one = [mcp_timeout() for _ in range(ROUNDS)][WARM:]
    several = asyncio_calls()
    retried = [mcp_retries() for _ in range(ROUNDS)][WARM:]
    sync = [sync_retries() for _ in range(ROUNDS)][WARM:]
    hung = [hang() for _ in range(ROUNDS)][WARM:]
    figures = [
        at_most("one call with a 60 s read timeout, in a session that stands", wall(several), 10, "ms"),
        virtual(several, 60),
        at_most("the same with the run, its loop, the client's connection and its end", wall(one), 10, "ms"),
        virtual(one, 60),
        plain("three attempts of 60 s with 0.5 s and 1 s between, async over MCP, whole run", wall(retried), "ms"),
        virtual(retried, 181.5),
        plain("the same in sync code through `tools`, with `time.sleep`, whole run", wall(sync), "ms"),
        virtual(sync, 181.5),
        plain("a hang until the run's limit of an hour, whole run", wall(hung), "ms"),
        virtual(hung, 3600),
    ]
    show("Virtual time", figures)


def wall(costs: list[Cost]) -> float:
    return 1000 * median(seconds for _, seconds in costs)


def virtual(costs: list[Cost], expected: float) -> Figure:
    """Virtual seconds must be exact, each time."""
    seen = sorted({seconds for seconds, _ in costs})
    return Figure(
        "… on the run's clock", ", ".join(f"{each:g} s" for each in seen), f"{expected:g} s", seen == [expected]
    )


def mcp_timeout() -> Cost:
    """One run with one call that times out."""
    return _run(lambda server: _attempts(server, 1))


def mcp_retries() -> Cost:
    """One run of an agent that tries three times."""
    return _run(lambda server: _attempts(server, 3))


def _run(agent: Any) -> Cost:
    with quiet():
        began = perf_counter()
        with squall.world(SHOP, faults=HANGS) as run:
            asyncio.run(agent(run.mcp_server))
            virtual_seconds = run.clock.elapsed()
        return virtual_seconds, perf_counter() - began


async def _attempts(server: Any, count: int) -> None:
    async with Client(server, read_timeout_seconds=60) as client:
        for number in range(count):
            if number:
                await asyncio.sleep(number / 2)
            await _times_out(client)


async def _times_out(client: Client) -> None:
    try:
        await client.call_tool("get_order", {"id": "1"})
    except MCPError:
        return
    raise AssertionError("the call should have timed out")


def asyncio_calls() -> list[Cost]:
    """Each of many calls in one session."""
    costs = []

    async def agent(server: Any, clock: Any) -> None:
        async with Client(server, read_timeout_seconds=60) as client:
            for _ in range(ROUNDS):
                with quiet():
                    before, began = clock.elapsed(), perf_counter()
                    await _times_out(client)
                    costs.append((round(clock.elapsed() - before, 6), perf_counter() - began))

    with squall.world(SHOP, faults=HANGS, limits=LIMITS) as run:
        asyncio.run(agent(run.mcp_server, run.clock))
    return costs[WARM:]


def sync_retries() -> Cost:
    """A sync agent that tries three times."""
    with quiet():
        began = perf_counter()
        with squall.world(SHOP, faults=HANGS) as run:
            for number in range(3):
                time.sleep(number / 2)
                try:
                    run.tools.get_order(id="1")
                except TimeoutError:
                    continue
            virtual_seconds = run.clock.elapsed()
        return virtual_seconds, perf_counter() - began


def hang() -> Cost:
    """A tool that never answers, and a client without a deadline."""
    rules = [{"target": "orders.get_order", "kind": "hang"}]
    with quiet():
        began = perf_counter()
        run = squall.world(SHOP, faults=rules)
        try:
            with run:
                run.tools.get_order(id="1")
        except squall.LimitReached:
            return run.clock.elapsed(), perf_counter() - began
        raise AssertionError("the run should have reached its limit")


if __name__ == "__main__":
    main()
