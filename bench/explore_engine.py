"""What the search itself costs for a run that it plans: to hand it out, to take in what came of it, to grow from it.

The runs are those of the refund agent among the simulated ones of the tests, played before and looked up while the
clock runs. CPU time.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from _table import ROOT, Figure, at_most, median, plain, show, turns

from squall.explore import Observed, Schedule, Search, shrink

ROUNDS = 15
MICROSECONDS = 1_000_000
WORKERS = 8


def toys() -> Any:
    spec = importlib.util.spec_from_file_location("explore_toys", ROOT / "tests" / "explore" / "toys.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["explore_toys"] = module
    spec.loader.exec_module(module)
    return module


def search(baseline: Observed, known: dict[Schedule, Observed], depth: int) -> Search:
    made = Search(baseline, depth=depth, confirm_baseline=baseline)
    while not made.done:
        for trial in made.ask(WORKERS):
            made.tell(trial.id, known[trial.schedule])
    return made


def played(module: Any, toy: Any, depth: int) -> tuple[Observed, dict[Schedule, Observed]]:
    """A run without faults, and all that a search asks for."""
    baseline = module.run(toy)
    made = Search(baseline, depth=depth, confirm_baseline=baseline)
    told = module.drive(made, lambda schedule: module.run(toy, schedule))
    return baseline, {trial.schedule: observed for trial, observed in told}


def explored(module: Any, toy: Any, depth: int) -> tuple[int, float, Search]:
    """How many runs a search makes, what each costs it in microseconds, and the search."""
    baseline, known = played(module, toy, depth)
    found: list[Search] = []
    (took,) = turns(lambda: found.append(search(baseline, known, depth)), rounds=ROUNDS)
    return len(known), median(took) / len(known) * MICROSECONDS, found[-1]


def shrinking(schedule: Schedule, needed: Schedule) -> int:
    steps = shrink(schedule)
    try:
        asked = next(steps)
        while True:
            asked = steps.send(set(needed) <= set(asked))
    except StopIteration as end:
        return int(end.value.runs)


def main() -> None:
    module = toys()
    toy = module.TRUSTED_EMPTY
    figures: list[Figure] = []
    for depth in (1, 2, 3):
        runs, cost, made = explored(module, toy, depth)
        figures += [
            plain(f"depth {depth}: runs", runs, ""),
            at_most(f"depth {depth}: the search, for each run", cost, 100, "µs"),
        ]
        (took,) = turns(made.coverage, rounds=ROUNDS)
        figures.append(plain(f"depth {depth}: the coverage in the end", 1000 * median(took), "ms"))
    many = tuple(choice for seen in module.run(toy).seen for choice in seen.choices[:1])
    (took,) = turns(lambda: shrinking(many, (many[2], many[-1])), rounds=ROUNDS)
    runs = shrinking(many, (many[2], many[-1]))
    figures.append(
        plain(f"shrinking {len(many)} faults to 2, for each of {runs} runs", median(took) / runs * 1e6, "µs")
    )
    show("The search alone", figures)


if __name__ == "__main__":
    main()
