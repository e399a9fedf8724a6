"""What a world costs (loading and seeding its file, loading it again), and a run around it (its set-up, its end)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from _table import ROOT, median, plain, quiet, show, turns
from _venvs import run as process
from _worlds import world_of

import squall

SHOP = ROOT / "examples" / "shop" / "worlds" / "shop.yaml"
SIZES = (30, 100_000)
PROCESSES = 5
RUNS = 200
ROUNDS = 7
FIRST = """
from time import process_time
import squall
squall.World, squall.world
began = process_time()
world = squall.World.load({path!r})
first = process_time()
world.orders.all()
print(first - began)
"""


def first_load(path: Path) -> float:
    """CPU seconds of a first load, in a process of its own that has imported everything."""
    seen = []
    for _ in range(PROCESSES):
        done = process(sys.executable, "-c", FIRST.format(path=str(path)))
        assert done.returncode == 0, done.stderr[-2000:]
        seen.append(float(done.stdout))
    return median(seen)


def spread(step: Callable[[Any], object], make: Callable[[], Any], count: int) -> float:
    """The median of CPU seconds that `step` takes with what `make` gives, the making left aside."""
    seen = []
    for _ in range(count):
        subject = make()
        with quiet():
            began = process_time()
            step(subject)
            seen.append(process_time() - began)
    return median(seen)


def whole_runs(path: Path, **options: Any) -> Callable[[], None]:
    """Many runs with one call each."""

    def work() -> None:
        for index in range(RUNS):
            with squall.world(path, run_index=index, **options) as run:
                try:
                    run.tools.get_order(id="1")
                except (squall.ToolError, TimeoutError):
                    continue

    return work


def main() -> None:
    figures = []
    for rows in SIZES:
        path = world_of(rows)
        squall.World.load(path)
        customers = [row.id for row in squall.World.load(path).customers.all()][:5]

        def ask(world: squall.World, ids: list[str] = customers) -> None:
            for id in ids:
                world.orders.where(customer=id)

        def load(path: Path = path) -> squall.World:
            return squall.World.load(path)

        name = f"{rows:,} rows"
        figures += [
            plain(f"{name}: the first load, seeding included", 1000 * first_load(path), "ms"),
            plain(f"{name}: each load after it", 1000 * spread(lambda _: load(), lambda: None, 15), "ms"),
            plain(f"{name}: five equality filters in a fresh world", 1000 * spread(ask, load, 15), "ms"),
            plain(f"{name}: a first insert", 1000 * spread(lambda world: world.orders.insert(), load, 15), "ms"),
        ]
    bare, faults, unrecorded = turns(
        whole_runs(SHOP), whole_runs(SHOP, faults=SHOP), whole_runs(SHOP, record=False), rounds=ROUNDS
    )
    figures += [
        plain("a run of the shop with one call, set up and ended", 1000 * median(bare) / RUNS, "ms"),
        plain("… with the file's faults", 1000 * median(faults) / RUNS, "ms"),
        plain("… not recorded", 1000 * median(unrecorded) / RUNS, "ms"),
    ]
    show("Worlds and runs", figures)


if __name__ == "__main__":
    main()
