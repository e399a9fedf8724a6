"""How many runs it takes to find a bug: every fault in order, against runs with faults drawn at random.

The bugs are those of examples/zoo and of the toy refund agent. Drawn runs are squall's own, with the same kinds, phases
and parameters at the same targets, drawn by seed and run index. Prints the table, and puts it into the docs.
`finding_power.py 20` takes so many seeds and writes nothing; `finding_power.py cut_call` does so for one bug alone.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import _refund_agent as toy
from _table import ROOT

import squall
from squall.call import MODEL_TARGETS
from squall.decide import Point
from squall.errors import LimitReached
from squall.runs.environment import Environment
from squall.runs.exploring import Explored
from squall.runs.exploring.catalog import Catalog

sys.path.insert(0, str(ROOT / "examples" / "zoo"))

import zoo

SEEDS = 200
RUNS = 20
SHARE = 0.1
SURE = 0.95
FAILED = ("failed", "crashed", "hung")
PAGE = ROOT / "docs" / "finding-power.md"
HEAD = (
    "bug",
    "faults",
    "single faults",
    "in order: found in run",
    "drawn, 0.1 a call: found",
    "drawn, 0.1 a kind: found",
    "runs for 95 %, 0.1 a call",
    "runs for 95 %, 0.1 a kind",
)
BLOCK = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end of table -->)", re.DOTALL)


class Bug(NamedTuple):
    """One agent with a bug, and what is tried on it."""

    name: str
    agent: Callable[[Any], Any]
    holds: Callable[[Any], Any]
    world: Path | None
    kinds: tuple[str, ...]
    faults: int


def bugs() -> Iterator[Bug]:
    yield Bug("toy refund agent, blind", toy.blind, toy.holds, toy.WORLD, toy.KINDS, 1)
    yield Bug("toy refund agent, careful", toy.careful, toy.holds, toy.WORLD, toy.KINDS, 2)
    for pair in zoo.PAIRS.values():
        world = zoo.SHOP if pair.world else None
        yield Bug(f"`{pair.name}`", pair.play(pair.module.buggy), pair.module.holds, world, pair.kinds, pair.faults)


class Drawn(NamedTuple):
    """What seeded runs came to: in how many seeds the bug was found, and how many of so many runs failed."""

    seeds: int
    found: int
    failed: int
    runs: int

    @property
    def sure(self) -> float:
        """How many runs it takes to find the bug with a probability of 95 %."""
        share = self.failed / self.runs
        return math.inf if share == 0 else max(1.0, math.log(1 - SURE) / math.log(1 - share)) if share < 1 else 1.0


def exhaustive(bug: Bug) -> Explored:
    """Every fault in order, up to the bug."""
    return squall.find_failures(bug.agent, bug.world, holds=bug.holds, depth=bug.faults, kinds=bug.kinds, first=True)


def rules(bug: Bug, *, each: bool) -> list[dict[str, Any]]:
    """The same faults, drawn: a call meets one with a probability of 0.1, or of 0.1 for `each` kind."""
    catalog = Catalog(bug.kinds)
    targets = [op.target for op in squall.World.load(bug.world).operations.values()] if bug.world else []
    found = []
    for target in [*targets, MODEL_TARGETS["chat"]]:
        wire, name = ("model", "model.chat") if target.wire == "model" else ("tool", target.name)
        choices = catalog.at(Point(wire, "", name, "", 1), target)
        kinds = {choice.kind for choice in choices}
        for choice in choices:
            alike = sum(other.kind == choice.kind for other in choices)
            share = SHARE / alike if each else SHARE / (len(kinds) * alike)
            phase = {} if wire == "model" else {"phase": choice.phase}
            found.append({"target": name, "kind": choice.kind, "probability": share, **phase, **dict(choice.params)})
    return found


def drawn(bug: Bug, seeds: int, *, each: bool) -> Drawn:
    """Twenty runs for each seed, or fewer where the bug shows before."""
    faults = rules(bug, each=each)
    found = failed = runs = 0
    for seed in range(seeds):
        for index in range(RUNS):
            runs += 1
            if fails(bug, faults, seed, index):
                failed += 1
                found += 1
                break
    return Drawn(seeds, found, failed, runs)


def fails(bug: Bug, faults: list[dict[str, Any]], seed: int, index: int) -> bool:
    """Whether one drawn run shows the bug."""
    run = Environment(bug.world, faults=faults, seed=seed, run_index=index)
    run.finally_(lambda: bug.holds(run))
    error: BaseException | None = None
    with closing(run):
        run.__enter__()  # and no `__exit__`, which would raise what the run has shown
        try:
            bug.agent(run)
        except (Exception, LimitReached) as raised:  # noqa: BLE001 - whatever an agent raises, its run is judged
            error = raised
        return run.finish(error).status in FAILED


def row(bug: Bug, seeds: int) -> str:
    explored = exhaustive(bug)
    (found,) = explored.found
    single = explored.coverage.shares[0].possible
    per_call, per_kind = drawn(bug, seeds, each=False), drawn(bug, seeds, each=True)
    assert len(found.schedule) == bug.faults
    assert bug.faults > 1 or found.finding.first <= single, bug.name
    cells = (
        bug.name,
        bug.faults,
        single,
        found.finding.first,
        *(f"{each.found} of {each.seeds} ({each.found / each.seeds:.0%})" for each in (per_call, per_kind)),
        *(spelled(each.sure) for each in (per_call, per_kind)),
    )
    return f"| {' | '.join(map(str, cells))} |"


def spelled(runs: float) -> str:
    return "–" if math.isinf(runs) else f"{math.ceil(runs):,}"


def main(arguments: list[str]) -> None:
    os.environ.setdefault("OPENAI_API_KEY", "none")
    seeds = next((int(each) for each in arguments if each.isdigit()), SEEDS)
    names = [each for each in arguments if not each.isdigit()]
    page = PAGE.read_text(encoding="utf-8")
    rows = {line.split(" | ")[0]: line for line in BLOCK.findall(page)[0].splitlines()[2:]}
    made = {}
    for bug in bugs():
        if not names or bug.name.strip("`") in names:
            made[f"| {bug.name}"] = row(bug, seeds)
            print(made[f"| {bug.name}"], flush=True)
        else:
            made[f"| {bug.name}"] = rows[f"| {bug.name}"]
    if seeds == SEEDS:
        table = "\n".join([f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|", *made.values(), ""])
        PAGE.write_text(BLOCK.sub(lambda _old: table, page), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
