"""The model provider: `squall model` against a bare server of uvicorn and starlette, aimock and llmock, in turns.

Each server is a process of its own, and one more asks them: by 32 connections at once and by one, for whole bodies and
for streams. Uvicorn has a plain asyncio loop and httptools, as squall has; of the others each has what it brings. Then
squall alone: its memory over many different requests, and very many slow streams at once. Seconds are real ones.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import _fakes
from _fakes import posted, request, served
from _load import Asked, ask
from _servers import Served
from _table import MADE, Figure, at_least, at_most, median, plain, quiet, show

SECONDS = 0.5  # of one turn
ROUNDS = 9
CROWD = 32
JSON_LEAST, SSE_LEAST, AHEAD, NO_LATER = 0.7, 1.2, 1.0, 1.0
STREAMS = 400
REQUESTS, PART, SCOPED = 100_000, 25_000, 100
MOST_GROWTH = 2.0  # MB in the last part of the requests
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
MEGA = 1e6
MICRO = 1e6
RIVALS = ("aimock", "llmock")
BUSY = "squall, faults drawn, recorded"
DRAWN = "model.*:\n  errors: { http_503: 0.000000001, http_429: 0.000000001 }\n"  # drawn for each request; none fires
SLOW = "model.chat:\n  - kind: slow_chunks\n    seconds: 100ms\n"


class Turn(NamedTuple):
    """One turn of one server, with the CPU seconds that it used."""

    asked: Asked
    cpu: float


Turns = dict[str, list[Turn]]


def in_turns(ports: dict[str, tuple[int, Served]], clients: int, *, stream: bool) -> Turns:
    """All servers in each round, every other round in reverse order. The first round does not count."""
    turns: Turns = {name: [] for name in ports}
    asking = repeat(request(stream=stream))
    for number in range(ROUNDS + 1):
        for name in ports if number % 2 else reversed(ports):
            port, process = ports[name]
            with quiet():
                before = process.cpu()
                asked = ask(port, asking, clients, seconds=SECONDS)
                turns[name].append(Turn(asked, process.cpu() - before))
    return {name: each[1:] for name, each in turns.items()}


def ratio(turns: Turns, one: str, other: str) -> float:
    """How many times as many answers per second the one gives: the median over the rounds."""
    return median(a.asked.rate / b.asked.rate for a, b in zip(turns[one], turns[other], strict=True))


def cost(turns: list[Turn]) -> float:
    """CPU seconds of the server for each answer."""
    return sum(each.cpu for each in turns) / sum(each.asked.requests for each in turns)


def first(turn: Turn) -> float:
    """Seconds to the first byte of a body, as they mostly are."""
    return median(turn.asked.firsts)


def figures_of(words: str, turns: Turns, least: float | None, *, stream: bool) -> Iterator[Figure]:
    """Of one kind of request. Where there is a `least`, the others are to be behind too."""
    for name, each in turns.items():
        yield plain(f"{words}: {name}", median(turn.asked.rate for turn in each), "answers/s")
    for name in ("bare", *RIVALS):
        if name in turns:
            ours, times = f"{words}: squall / {name}", ratio(turns, "squall", name)
            if least is None:
                yield plain(ours, times, "times")
            else:
                yield at_least(ours, times, least if name == "bare" else AHEAD, "times")
            if squalls := cost(turns["squall"]):
                yield plain(f"{ours}, by the servers' CPU time", cost(turns[name]) / squalls, "times")
    yield plain(f"{words}: {BUSY} / bare", ratio(turns, BUSY, "bare"), "times")
    yield plain(f"{words}: squall's CPU time for an answer", cost(turns["squall"]) * MICRO, "µs")
    if stream:
        for name, each in turns.items():
            yield plain(f"{words}: first byte of the body, {name}", median(map(first, each)) * 1000, "ms")
        later = median(first(a) / first(b) for a, b in zip(turns["squall"], turns["bare"], strict=True))
        yield at_most(f"{words}: first byte, squall / bare", later, NO_LATER, "times")
    busy = max(turn.asked.own / turn.asked.seconds for each in turns.values() for turn in each)
    yield plain(f"{words}: the client's own share of a core, at most", busy, "")


def compared() -> Iterator[Figure]:
    """All that is compared."""
    with ExitStack() as stack:
        ports = {"squall": stack.enter_context(served(_fakes.squall()))}
        ports["bare"] = stack.enter_context(served(_fakes.bare(ports["squall"][0])))
        ports[BUSY] = stack.enter_context(served(_fakes.squall("--faults", planned(DRAWN), "--record", os.devnull)))
        for name, command in (("aimock", _fakes.aimock), ("llmock", _fakes.llmock)):
            try:
                ports[name] = stack.enter_context(served(command()))
            except (OSError, subprocess.CalledProcessError, AssertionError) as error:
                yield Figure(f"{name} is left out", str(error)[:80])
        for words, clients, stream, least in (
            ("JSON, 32 at once", CROWD, False, JSON_LEAST),
            ("JSON, one by one", 1, False, None),
            ("SSE, 32 at once", CROWD, True, SSE_LEAST),
            ("SSE, one by one", 1, True, None),
        ):
            yield from figures_of(words, in_turns(ports, clients, stream=stream), least, stream=stream)


def memory() -> Iterator[Figure]:
    """Different requests, streams among them, in scopes of a hundred, half of which are released and half forgotten."""
    sizes = []
    with served(_fakes.squall()) as (port, process):
        for scope in range(REQUESTS // SCOPED):
            if scope * SCOPED % PART == 0:
                sizes.append(resident(process))
            ask(port, [different(scope, number) for number in range(SCOPED)], CROWD)
            if scope % 2:
                ask(port, [posted(b"", "DELETE", f"/_mock/scopes/run{scope}")], 1)
        sizes.append(resident(process))
    for number, size in enumerate(sizes):
        yield plain(f"memory after {number * PART:,} requests", size, "MB")
    yield at_most(f"memory grows in the last {PART:,} of them by", sizes[-1] - sizes[-2], MOST_GROWTH, "MB")


def different(scope: int, number: int) -> bytes:
    """A request like no other."""
    return request(stream=number % 4 == 0, text=f"question {number} of {scope}", scope=f"run{scope}")


def resident(process: Served) -> float:
    """Megabytes of memory that a process has."""
    table = Path(f"/proc/{process.pid}/statm")
    return int(table.read_text().split()[1]) * PAGE / MEGA if table.exists() else 0.0


def crowded() -> Iterator[Figure]:
    """Many slow streams at once."""
    with served(_fakes.squall("--faults", planned(SLOW))) as (port, _):
        asked = ask(port, repeat(request(stream=True), STREAMS), STREAMS)
    yield at_least(f"of {STREAMS} slow streams at once, those that come to their end", asked.requests, STREAMS, "")
    wait = 0.1 * (_fakes.EVENTS - 1)
    yield plain(f"… all of them after ({wait:.1f} s of which they are made to wait)", asked.seconds, "s")


def planned(rules: str) -> str:
    """A file with these faults."""
    MADE.mkdir(parents=True, exist_ok=True)
    plan = MADE / "plan.yaml"
    plan.write_text(rules)
    return str(plan)


def main() -> None:
    show("The model provider", [*compared(), *memory(), *crowded()])


if __name__ == "__main__":
    main()
