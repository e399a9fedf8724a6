"""MCP over HTTP: `squall serve --http` against a bare server of the same SDK, each in a process of its own, in turns.

The official client calls one tool again and again, a read or a write, with the state journal on and off, by either
protocol. Connecting and the first calls are not timed. Seconds are real ones, as a client waits them, and on Linux also
the servers' own CPU time, which other processes blur less.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from time import perf_counter

from _servers import ARGUMENTS, BARE, READ, WRITE, Served, described, started
from _table import MADE, Figure, at_least, median, plain, quiet, show
from _worlds import world_of
from mcp import Client

CALLS = 150
WARM = 20
ROUNDS = 9
LEAST = 0.85
ROWS = 1000


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
            ("write in a session", WRITE, "legacy"),
        ):
            with started("-c", BARE, *asyncio.run(described(ours.url, tool))) as bare:
                servers = {"squall": ours, "squall, journal on": kept, "bare": bare}
                figures += figures_of(words, compared(servers, tool, mode))
    assert journal.read_text().count('"op":"insert"') == 2 * ROUNDS * (CALLS + WARM), "each write is in the journal"
    show("MCP over HTTP", figures)


if __name__ == "__main__":
    main()
