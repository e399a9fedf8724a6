"""`squall run SCENARIO --strategy S --output DIR`: one run, stored."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from squall.cli.of_lab import plain, tell_json, tell_run
from squall.errors import Problem, UsageError
from squall.runs.suite import Done, Wanted, loaded, run_suite
from squall.store import Runs


def run(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help="A scenario file.")],
    *,
    strategy: Annotated[str | None, typer.Option(help="A built-in or installed strategy, or module:name.")] = None,
    command: Annotated[str | None, typer.Option(help="A program to run as the agent: 'node agent.js'.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed; the scenario's own unless given.")] = None,
    run_index: Annotated[int, typer.Option(help="Which run of that seed.", min=0)] = 0,
    output: Annotated[Path, typer.Option(help="The folder that runs are kept in.")] = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the run as JSON.")] = False,
) -> None:
    """Run one scenario with one strategy and store the run.

    Exit status 0 where all expectations are met and every planned fault fired, 1 where not, 2 for wrong input.
    """
    if (strategy is None) == (command is None):
        hint = "Name one: --strategy resilient, or --command 'node agent.js'."
        raise UsageError(Problem("a run needs a strategy or a command, and not both", hint=hint))
    wanted = Wanted(
        scenarios=(scenario,),
        strategies=() if strategy is None else (strategy,),
        commands=() if command is None else (command,),
        seeds=() if seed is None else (seed,),
        run_index=run_index,
    )
    done: list[Done] = []
    run_suite(loaded(wanted), output, told=done.append, said=partial(typer.echo, err=True))
    (found,) = done
    with Runs(output) as store:
        folder = store.trace_of(found.record).parent
    if as_json:
        tell_json(plain(found.record, folder, fresh=found.fresh))
    else:
        tell_run(found.record, folder)
        if not found.fresh:
            typer.echo("  (nothing has changed since it was stored, and it was not run again)")
    if found.record.status != "passed":
        raise typer.Exit(1)
