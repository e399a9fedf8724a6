"""`squall explore SCENARIO --strategy S --depth 2`: every fault point of a scenario, in order."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from squall.cli.exploring import Live, tell, told_altered
from squall.cli.kept import Kept
from squall.cli.of_lab import INTERRUPTED, replay_command, report_at, tell_json, writing
from squall.errors import Problem, UsageError
from squall.faults.registry import ALIASES
from squall.reports import exploration_json
from squall.reports.exploration import Exploration, Failure, exploration_of
from squall.reports.exploration_files import write_beside
from squall.runs.exploring.altering import Noticed
from squall.runs.exploring.of_lab import NO_COMMANDS, Subject, Whence, alterations, filed, processes, runner
from squall.runs.exploring.search import Explored, Options, check, search
from squall.runs.scenario import load_scenario
from squall.runs.strategies.finding import strategy_named
from squall.store.regressions import FOLDER


def _no_commands(given: str | None) -> None:
    """Say why not, and what to do: whoever knows `squall run` and `squall suite` will look for it here."""
    if given is not None:
        raise UsageError(NO_COMMANDS)


def explore(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help="A scenario file.")],
    *,
    strategy: Annotated[str, typer.Option(help="A built-in or installed strategy, or module:name.")],
    command: Annotated[str | None, typer.Option(callback=_no_commands, is_eager=True, hidden=True)] = None,
    depth: Annotated[int, typer.Option(help="How many faults a run may have.", min=1)] = 1,
    budget: Annotated[int | None, typer.Option(help="The most runs with faults.", min=1)] = None,
    tokens: Annotated[int | None, typer.Option(help="The most tokens of models.", min=1)] = None,
    seconds: Annotated[float | None, typer.Option(help="The most seconds.", min=0)] = None,
    kinds: Annotated[str, typer.Option(help="Kinds of faults, with commas between them; may be globs.")] = "",
    targets: Annotated[str, typer.Option(help="Targets, with commas between them; may be globs.")] = "",
    seed: Annotated[int | None, typer.Option(help="The seed; the scenario's own unless given.")] = None,
    may_give_up: Annotated[bool, typer.Option(help="Take a strategy that says it failed at its word.")] = False,
    crashes: Annotated[bool, typer.Option(help="Whether a crash of the strategy is a failure.")] = True,
    mutate_world: Annotated[
        bool, typer.Option("--mutate-world", help="Alter the end state first: can the expectations fail at all?")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Processes to run in.", min=1)] = 1,
    regressions_in: Annotated[Path, typer.Option("--regressions", help="Where failures are kept.")] = FOLDER,
    report: Annotated[
        Path | None, typer.Option(help="Write a page here, and JSON, Markdown and JUnit XML beside it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Try every fault at every place of a scenario.

    Single faults, and pairs from --depth 2 on. What fails is shrunk and kept as a file; kept files are tried first.
    Exit status 0 where nothing failed, 1 where something did, where no fault has happened in any run, or where
    --mutate-world shows that nothing can fail; 2 for wrong input; 130 where it was interrupted.
    """
    del command  # its callback has refused it
    read = load_scenario(scenario)
    found_strategy = strategy_named(strategy)
    subject = Subject(read, found_strategy, read.seed if seed is None else seed, may_give_up)
    options = Options(
        depth=depth,
        runs=budget,
        seconds=seconds,
        tokens=tokens,
        kinds=tuple(ALIASES.get(kind, (kind,))[0] for kind in _listed(kinds)),
        targets=_listed(targets),
        crashes=crashes,
        prune=found_strategy.id.deterministic,
    )
    check(options)
    report_at(report, ("json", "md", "xml"))
    if regressions_in.exists() and not regressions_in.is_dir():
        raise UsageError(
            Problem(f"cannot write {str(regressions_in)!r}: it is no folder", hint="Failures are kept there.")
        )
    altered = _altered(subject, wanted=mutate_world)
    kept = Kept.of(regressions_in, subject.name)
    with ExitStack() as stack:
        live = stack.enter_context(Live(sys.stderr, kept))
        whence = Whence(scenario, strategy, subject.seed, may_give_up, options.kinds)
        many = stack.enter_context(processes(whence, jobs)) if jobs > 1 else None
        execute = runner(subject, options.kinds)
        kept.meet(execute)
        explored = search(execute, options, regressions=kept.schedules, told=live, many=many)
    files = [kept.file_of(found, filed(subject, found), regressions_in) for found in explored.found]
    shown = exploration_of(
        subject.name, explored, files=files, replay=replay_command, notes=kept.notes, altered=altered
    )
    if report is not None:
        with writing(report):
            write_beside(report, [shown._replace(failures=_told_from(report, shown))])
    _tell(subject, options, explored, shown, report, as_json=as_json)
    if live.interrupted:
        raise typer.Exit(INTERRUPTED)
    if explored.found or explored.coverage.shows_nothing or (altered and not any(each.by for each in altered)):
        raise typer.Exit(1)


def _tell(
    subject: Subject, options: Options, explored: Explored, shown: Exploration, page: Path | None, *, as_json: bool
) -> None:
    if as_json:
        about = {
            "scenario": subject.scenario.name,
            "strategy": subject.strategy.id.name,
            "seed": subject.seed,
            "depth": options.depth,
        }
        tell_json({**about, **exploration_json.of_one(shown)})
        return
    if shown.altered:
        told_altered(shown.altered)
    tell(shown, explored.seconds)
    if page is not None:
        typer.echo(f"report: {page}")


def _altered(subject: Subject, *, wanted: bool) -> list[Noticed] | None:
    """What altered end states have shown, where somebody wants to know."""
    if not wanted:
        return None
    found = alterations(subject)
    if found is None:
        why = f"--mutate-world: {subject.name} fails without any fault, so that altering its end state shows nothing"
        hint = f"squall explore {subject.scenario.name} without --mutate-world says how it fails."
        raise UsageError(Problem(why, hint=hint))
    return found


def _told_from(report: Path, shown: Exploration) -> tuple[Failure, ...]:
    """The failures with the lines that replay them as a page has them, which names no path of a machine."""
    return tuple(
        each._replace(replay=replay_command(Path(each.file), beside=report), file=Path(each.file).name)
        if each.file
        else each
        for each in shown.failures
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
