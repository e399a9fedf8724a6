"""What exploring costs with everything that belongs to it: worlds, calls, traces, the search, shrinking.

The agents are the toy refund agents of `_refund_agent.py`, over `tools`: six calls where nothing goes wrong, up to nine
where something does. CPU time, which on an idle machine is what a clock on the wall shows.
"""

from __future__ import annotations

from collections.abc import Callable

import _refund_agent as toy
from _table import Figure, at_least, at_most, median, plain, show, turns

import squall
from squall.runs.exploring import Explored

ROUNDS = 9


def explored(agent: Callable[[object], str], depth: int) -> tuple[Explored, list[float]]:
    """An exploration, and the seconds that it took each time."""
    came: list[Explored] = []

    def work() -> None:
        came.append(squall.find_failures(agent, toy.WORLD, holds=toy.holds, depth=depth, kinds=toy.KINDS))

    (took,) = turns(work, rounds=ROUNDS)
    return came[-1], took


def main() -> None:
    figures: list[Figure] = []
    for agent in (toy.blind, toy.careful):
        for depth in (1, 2):
            found, took = explored(agent, depth)
            name = f"{agent.__name__} agent, depth {depth}"
            figures += [plain(f"{name}: runs", found.runs, "")]
            if depth == 1:
                continue
            figures += [
                at_least(f"{name}: runs a second, on a core (median)", found.runs / median(took), 2000, "/s"),
                at_least(f"{name}: runs a second, on a core (best of {ROUNDS})", found.runs / min(took), 2000, "/s"),
                at_most(f"{name}: the whole space", median(took), 2, "s"),
            ]
    show("Exploring", figures)


if __name__ == "__main__":
    main()
