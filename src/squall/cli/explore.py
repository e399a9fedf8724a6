"""`squall explore SCENARIO --strategy S --depth 2`: every fault point of a scenario, in order."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from squall.cli.exploring import Live, tell
from squall.cli.of_lab import tell_json
from squall.runs.exploring import keeping
from squall.runs.exploring.of_lab import Subject, Whence, filed, processes, runner
from squall.runs.exploring.search import Found, Options, search
from squall.runs.scenario import load_scenario
from squall.runs.strategies.finding import strategy_named
from squall.store import regressions
from squall.store.regressions import FOLDER


def explore(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help="A scenario file.")],
    *,
    strategy: Annotated[str, typer.Option(help="A built-in or installed strategy, or module:name.")],
    depth: Annotated[int, typer.Option(help="How many faults a run may have.", min=1)] = 1,
    budget: Annotated[int | None, typer.Option(help="The most runs with faults.", min=1)] = None,
    seconds: Annotated[float | None, typer.Option(help="The most seconds.", min=0)] = None,
    kinds: Annotated[str, typer.Option(help="Kinds of faults, with commas between them; may be globs.")] = "",
    targets: Annotated[str, typer.Option(help="Targets, with commas between them; may be globs.")] = "",
    seed: Annotated[int | None, typer.Option(help="The seed; the scenario's own unless given.")] = None,
    may_give_up: Annotated[bool, typer.Option(help="Take a strategy that says it failed at its word.")] = False,
    crashes: Annotated[bool, typer.Option(help="Whether a crash of the strategy is a failure.")] = True,
    jobs: Annotated[int, typer.Option(help="Processes to run in.", min=1)] = 1,
    regressions_in: Annotated[Path, typer.Option("--regressions", help="Where failures are kept.")] = FOLDER,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Try every single fault, and shrink what fails.

    Pairs are tried from --depth 2 on. What fails is shrunk to a file that replays. Files of failures that are kept are
    tried first. Exit status 0 where nothing failed, 1 where something did.
    """
    read = load_scenario(scenario)
    found_strategy = strategy_named(strategy)
    subject = Subject(read, found_strategy, read.seed if seed is None else seed, may_give_up)
    options = Options(
        depth=depth,
        runs=budget,
        seconds=seconds,
        kinds=_listed(kinds),
        targets=_listed(targets),
        crashes=crashes,
        prune=found_strategy.id.deterministic,
    )
    kept = [keeping.schedule_of(each) for _, each in regressions.kept(regressions_in, subject.name)]
    with ExitStack() as stack:
        live = stack.enter_context(Live(sys.stderr))
        whence = Whence(scenario, strategy, subject.seed, may_give_up, options.kinds)
        many = stack.enter_context(processes(whence, jobs)) if jobs > 1 else None
        explored = search(runner(subject, options.kinds), options, regressions=kept, told=live, many=many)
    files = [_kept(subject, found, regressions_in) for found in explored.found]
    if as_json:
        tell_json(
            {
                "scenario": read.name,
                "strategy": found_strategy.id.name,
                "claim": explored.coverage.claim,
                "notes": list(explored.coverage.notes),
                "runs": explored.runs,
                "coverage": msgspec.to_builtins(explored.coverage),
                "failures": [
                    {
                        "violated": found.observed.what,
                        "status": found.observed.status,
                        "message": found.observed.message,
                        "schedule": [str(choice) for choice in found.schedule],
                        "minimal": found.minimal,
                        "line": found.details.line,
                        "file": str(file),
                    }
                    for found, file in zip(explored.found, files, strict=True)
                ],
            }
        )
    else:
        tell(subject.name, explored, files)
    if explored.found:
        raise typer.Exit(1)


def _kept(subject: Subject, found: Found, folder: Path) -> Path:
    path, _ = keeping.keep(filed(subject, found), folder)
    return path


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
