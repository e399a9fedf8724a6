"""What the scripts share: timing in turns, medians, a table in Markdown, and words on the machine.

Knows nothing of what is measured.
"""

from __future__ import annotations

import gc
import os
import platform
import resource
import statistics
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from time import process_time
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MADE = ROOT / "build" / "bench"  # ignored by git, and `make clean` takes it away
PACKAGES = ("squall", "mcp", "pydantic", "msgspec", "ruamel.yaml", "pytest", "pytest-asyncio")


class Figure(NamedTuple):
    """One line of a table. `met` is None where there is no target."""

    what: str
    measured: str
    target: str = ""
    met: bool | None = None


def at_most(what: str, value: float, limit: float, unit: str) -> Figure:
    """A figure that should not be above `limit`."""
    return Figure(what, spelled(value, unit), f"≤ {spelled(limit, unit)}", value <= limit)


def at_least(what: str, value: float, limit: float, unit: str) -> Figure:
    """A figure that should not be below `limit`."""
    return Figure(what, spelled(value, unit), f"≥ {spelled(limit, unit)}", value >= limit)


def plain(what: str, value: float, unit: str) -> Figure:
    """A figure without a target."""
    return Figure(what, spelled(value, unit))


def spelled(value: float, unit: str) -> str:
    """A number with as many digits as mean something: `12.3 ms`, `48,100 /s`, `0.91 times`."""
    number = f"{round(value, 2 - len(str(int(abs(value))))):,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{number} {unit}"


def show(title: str, figures: Iterable[Figure]) -> None:
    """Print a table, with the machine under its title."""
    print(f"\n### {title}\n\n{machine()}\n")
    print("| what | measured | target | met |\n|---|---|---|---|")
    for what, measured, target, met in figures:
        print(f"| {what} | {measured} | {target} | {'' if met is None else 'yes' if met else '**no**'} |")


def machine() -> str:
    """One line on what the figures were taken on."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    busy = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    python = f"Python {platform.python_version()}"
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}; {python}; {packages}; load {busy}"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def children() -> float:
    """CPU seconds of all processes that this one has started and seen end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def quiet() -> Iterator[None]:
    """No collection of garbage while something is timed; what has been left before is collected first."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def turns(
    *works: Callable[[], object], rounds: int, warm: int = 1, clock: Callable[[], float] = process_time
) -> list[list[float]]:
    """Seconds that each work took, in each round; all of them in each round, every other round in reverse order.

    A machine that is slow for a while is so for all of them; the first `warm` rounds do not count. `clock` is CPU time
    if nothing else is said: what other processes take away from this one is then no part of it.
    """
    took: list[list[float]] = [[] for _ in works]
    for number in range(rounds + warm):
        for place in _order(len(works), number):
            with quiet():
                began = clock()
                works[place]()
                took[place].append(clock() - began)
    return [times[warm:] for times in took]


def _order(count: int, number: int) -> range:
    return range(count) if number % 2 == 0 else range(count - 1, -1, -1)


def median(values: Iterable[float]) -> float:
    """The median."""
    return statistics.median(values)


def difference(more: Iterable[float], less: Iterable[float]) -> float:
    """The median of what the one took beyond the other in the same round."""
    return statistics.median(a - b for a, b in zip(more, less, strict=True))
