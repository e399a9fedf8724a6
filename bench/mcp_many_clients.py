"""A hundred clients of `squall serve --http` at once: what they get done together, and whether anything of it is lost.

Each is an official client with connections of its own; all of them are connected before the first one calls. Each
creates orders for a customer of its own, so that in the end the world tells which of them it has. All clients live in
one process, which has more to do than the server: so the server's own CPU time says more of it than real time does.
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import ExitStack
from time import perf_counter
from typing import Any, NamedTuple

import httpx2
from _servers import ARGUMENTS, BARE, WRITE, Served, described, started
from _table import MADE, Figure, at_least, median, plain, quiet, show
from _worlds import world_of
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

CLIENTS = 100
CALLS = 6  # of each client
TOGETHER = CLIENTS * CALLS
ROUNDS = 7
LEAST = 0.85
ROWS = 1000
CERTIFICATES = ssl.create_default_context()  # to read them takes a client longer than its calls


class Turn(NamedTuple):
    """What the clients got done together, in real seconds and the server's CPU seconds; `ids` by client."""

    real: float
    cpu: float
    ids: list[list[str]]


async def crowded(served: Served, mode: str) -> Turn:
    """All the clients at once."""
    barrier, over = asyncio.Barrier(CLIENTS + 1), asyncio.Barrier(CLIENTS + 1)

    async def agent(number: int) -> list[str]:
        ids = []
        http = httpx2.AsyncClient(verify=CERTIFICATES, timeout=60)
        async with http, Client(streamable_http_client(served.url, http_client=http), mode=mode) as client:
            await client.list_tools()
            await barrier.wait()
            for _ in range(CALLS):
                answer = await client.call_tool(WRITE, {**ARGUMENTS[WRITE], "customer": str(number)})
                assert not answer.is_error, answer
                ids.append(answer.structured_content["id"])
            await over.wait()
        return ids

    tasks = [asyncio.create_task(agent(number)) for number in range(1, CLIENTS + 1)]
    with quiet():
        await barrier.wait()
        began, cpu = perf_counter(), served.cpu()
        await over.wait()
        real, cpu = perf_counter() - began, served.cpu() - cpu
    return Turn(real, cpu, await asyncio.gather(*tasks))


async def orders(url: str) -> list[set[str]]:
    """The ids that each client's customer has in the world."""
    async with Client(url) as client:
        answers = [await client.call_tool("list_orders", {"customer": str(number)}) for number in range(1, CLIENTS + 1)]
    rows: list[Any] = [answer.structured_content for answer in answers]
    return [{row["id"] for row in answer["result"]} for answer in rows]


def lost(told: list[list[str]], before: list[set[str]], after: list[set[str]]) -> int:
    """Calls whose order is not there, is another's too or is another client's, and orders that no client made."""
    ids = [id for mine in told for id in mine]
    wrong = len(ids) - len(set(ids))
    return wrong + sum(len((new - old) ^ set(mine)) for mine, old, new in zip(told, before, after, strict=True))


def main() -> None:
    world = str(world_of(ROWS))
    MADE.mkdir(parents=True, exist_ok=True)
    journal = MADE / "crowd-state.jsonl"
    journal.unlink(missing_ok=True)
    serve = ("-m", "squall", "serve", world, "--http", "--port", "0")
    figures: list[Figure] = []
    with ExitStack() as stack:
        ours = stack.enter_context(started(*serve))
        kept = stack.enter_context(started(*serve, "--state", str(journal)))
        bare = stack.enter_context(started("-c", BARE, *asyncio.run(described(ours.url, WRITE))))
        servers = {"squall": ours, "squall, journal on": kept, "bare": bare}
        told: dict[str, list[list[str]]] = {name: [[] for _ in range(CLIENTS)] for name in servers}
        before = {name: asyncio.run(orders(servers[name].url)) for name in servers if name != "bare"}
        for words, mode in (("write", "auto"), ("write in a session", "legacy")):
            took: dict[str, list[Turn]] = {name: [] for name in servers}
            for number in range(ROUNDS):
                for name in servers if number % 2 else reversed(servers):
                    turn = asyncio.run(crowded(servers[name], mode))
                    took[name].append(turn)
                    for mine, ids in zip(told[name], turn.ids, strict=True):
                        mine += ids
            figures += figures_of(words, took)
        of = 2 * ROUNDS * TOGETHER
        for name, old in before.items():
            number = lost(told[name], old, asyncio.run(orders(servers[name].url)))
            what = f"of {of:,} calls, those without just one effect: {name}"
            figures.append(Figure(what, str(number), "0", number == 0))
    inserts = journal.read_text().count('"op":"insert"')
    figures.append(Figure("effects in the journal", f"{inserts:,}", f"{of:,}", inserts == of))
    show(f"{CLIENTS} clients at once over HTTP", figures)


def figures_of(words: str, took: dict[str, list[Turn]]) -> list[Figure]:
    real = {name: median(turn.real for turn in turns) for name, turns in took.items()}
    cpu = {name: median(turn.cpu for turn in turns) for name, turns in took.items()}
    figures = [plain(f"{words}: {name}", TOGETHER / seconds, "calls/s") for name, seconds in real.items()]
    for name, turns in took.items():
        if name != "bare":
            ratio = median(bare.real / mine.real for bare, mine in zip(took["bare"], turns, strict=True))
            figures.append(at_least(f"{words}: {name} / bare", ratio, LEAST, "times"))
            if all(cpu.values()):
                figures.append(
                    plain(f"{words}: {name} / bare, by the servers' CPU time", cpu["bare"] / cpu[name], "times")
                )
    return figures


if __name__ == "__main__":
    main()
