"""Exploring from Python: `squall.find_failures(agent, world="worlds/shop.yaml", depth=2)`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from squall.errors import Problem, UsageError, shown
from squall.runs.current import current
from squall.runs.environment import Environment
from squall.runs.exploring.executing import Agent, Runner
from squall.runs.exploring.keeping import Replayed, keep, regression_of
from squall.runs.exploring.meeting import meet
from squall.runs.exploring.observing import SOMETIMES
from squall.runs.exploring.search import Explored, Found, Options, search
from squall.store.regressions import read
from squall.worlds.file.loading import load


def find_failures(
    agent: Agent | None,
    world: str | Path | None = None,
    *,
    holds: Callable[[Environment], Any] | None = None,
    depth: int = 1,
    runs: int | None = None,
    seconds: float | None = None,
    tokens: int | None = None,
    kinds: Collection[str] = (),
    targets: Collection[str] = (),
    crashes: bool = True,
    prune: bool = True,
    seed: int | None = None,
    first: bool = False,
) -> Explored:
    """Run `agent(run)` under every fault, in order, and shrink what fails. `run` has `.tools`, `.model`, `.world` ….

    `agent` may be async. Each run has a fresh world of the file `world`. `holds(run)` is called when the agent has
    ended, however it ended; what it raises is a failure. `depth` is how many faults a run may have at most; `runs`,
    `seconds` and `tokens` (which models read and write) are the budget; `kinds` and `targets` may be globs. Raises
    UsageError for wrong input.
    """
    options = Options(
        depth=depth,
        runs=runs,
        seconds=seconds,
        tokens=tokens,
        kinds=tuple(kinds),
        targets=tuple(targets),
        crashes=crashes,
        prune=prune,
        first=first,
    )
    return search(_runner(agent, world, holds, seed, options.kinds), options)


def keep_failure(found: Found, folder: str | Path, *, test: str) -> Path:
    """Write a failure as a file into `folder`, for `replay_failure`. `test` names what failed, for people."""
    if not found.shows_again:
        what = f"the failure {found.finding.failure!r} did not show again under the same faults: no file can replay it"
        hint = "Something besides the faults decides it: chance, threads, what earlier runs left behind."
        raise UsageError(Problem(what, hint=hint))
    how = 'squall.replay_failure("FILE", agent, world, holds=…)'
    path, _ = keep(regression_of(test, found.schedule, found.observed, found.details, how), Path(folder))
    return path


def replay_failure(
    path: str | Path,
    agent: Agent | None,
    world: str | Path | None = None,
    *,
    holds: Callable[[Environment], Any] | None = None,
) -> Replayed:
    """Run `agent` once more as it failed by the file at `path`. Gives what came of it: `.how`, and `.words` for people.

    `reproduced`, `diverged`, `fault not fired` (where the code has changed, a fault may strike at the call that arrives
    as the same one, and `.leniently` names it) or `passes now`. Raises UsageError for a file that is none.
    """
    regression = read(Path(path))
    return meet(regression, _runner(agent, world, holds, regression.seed, ())).replayed


def _runner(
    agent: Agent | None,
    world: str | Path | None,
    holds: Callable[[Environment], Any] | None,
    seed: int | None,
    kinds: Collection[str],
) -> Runner:
    if not callable(agent):
        hint = "Give a function of one argument, the run."
        raise UsageError(Problem(f"the agent is {shown(agent)}, which is no function", hint=hint))
    loaded = None if world is None else load(world)  # once: runs of one search are all of the same world

    def build() -> Environment:
        run = Environment(loaded, seed=seed, name=getattr(agent, "__name__", "agent"))
        if holds is not None:
            run.finally_(lambda: holds(run))
        return run

    return Runner(build, agent, kinds)


def sometimes(name: str, true: object) -> bool:
    """Note that `true` should be true in at least one run of an exploration; gives whether it is, now.

    Where it never was, the coverage says so: the search has not reached what it was made for. Outside a run it notes
    nothing.
    """
    run = current()
    holds = bool(true)
    if run is not None and run.recorder is not None:
        run.trace.mark(name, **{SOMETIMES: holds})
    return holds
