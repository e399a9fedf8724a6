"""`squall suite FOLDER --strategies a,b --output DIR`: the matrix of scenarios, strategies and seeds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from squall.cli.of_lab import INTERRUPTED, plain, replay_command, report_at, seeds_in, tell_json, writing
from squall.cli.progress import Progress
from squall.errors import Problem, UsageError, counted
from squall.reports import lab_terminal
from squall.reports.lab_files import write_beside
from squall.reports.summary import summarize
from squall.runs.suite import Done, Wanted, loaded, run_suite, scenario_files
from squall.store import Runs


def suite(
    paths: Annotated[list[Path], typer.Argument(metavar="FOLDER…", help="Scenario files, and folders of them.")],
    *,
    strategies: Annotated[str, typer.Option(help="Strategies, with commas between them.")] = "",
    command: Annotated[list[str] | None, typer.Option(help="A program to run as an agent; may be repeated.")] = None,
    seeds: Annotated[str | None, typer.Option(help="0..19, or 1,2,5; each scenario's own unless given.")] = None,
    output: Annotated[Path, typer.Option(help="The folder that runs are kept in.")] = Path("runs"),
    jobs: Annotated[int, typer.Option(help="Processes to run in.", min=1)] = 1,
    fail_under: Annotated[float | None, typer.Option(help="The pass rate that is enough: 0.9.", min=0, max=1)] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report.html here, and CSV and more beside it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the runs as JSON.")] = False,
) -> None:
    """Run every scenario with every strategy and every seed.

    What is stored already is not run again. Exit status 0 where every run passed, or the rate of --fail-under is
    reached; 1 where not; 2 for wrong input; 130 where it was interrupted: the same line goes on where it was.
    """
    named = tuple(name.strip() for name in strategies.split(",") if name.strip())
    if not named and not command:
        hint = "Name some: --strategies baseline,resilient,careless."
        raise UsageError(Problem("a suite needs strategies, or a --command", hint=hint))
    wanted = Wanted(scenario_files(paths), tuple(dict.fromkeys(named)), tuple(command or ()), seeds_in(seeds))
    whole = loaded(wanted)
    report_at(report)
    done: list[Done] = []
    with Progress(len(whole.cells), sys.stderr) as progress:

        def told(each: Done) -> None:
            done.append(each)
            progress.add(each)

        def said(sentence: str) -> None:
            progress.clear()
            typer.echo(sentence, err=True)

        try:
            records = run_suite(whole, output, jobs=jobs, told=told, said=said)
        except KeyboardInterrupt:
            progress.clear()
            what = f"interrupted after {len(done)} of {counted(len(whole.cells), 'run')}"
            typer.echo(f"{what}; the same line goes on from there", err=True)
            raise typer.Exit(INTERRUPTED) from None
    summary = summarize(records)
    with Runs(output) as store:
        folders = {record.hash: store.trace_of(record).parent for record in records}
    if report is not None:
        with writing(report):
            write_beside(
                report,
                summary,
                records,
                lambda record: folders[record.hash] / "trace.jsonl",
                title="squall suite",
                replay=lambda record: replay_command(folders[record.hash], beside=report),
            )
    if as_json:
        fresh = {each.record.hash: each.fresh for each in done}
        tell_json([plain(record, folders[record.hash], fresh=fresh[record.hash]) for record in records])
    else:
        typer.echo(lab_terminal.terminal(summary))
        before = sum(not each.fresh for each in done)
        again = f", {before} of them stored before" if before else ""
        typer.echo(f"{counted(len(done), 'run')} in {output}{again}" + (f"; report: {report}" if report else ""))
    passed = sum(record.status == "passed" for record in records)
    if not enough(passed, len(records), 1.0 if fail_under is None else fail_under):
        raise typer.Exit(1)


def enough(passed: int, runs: int, rate: float) -> bool:
    """Whether so many of the runs are a share of at least `rate`: 7 of 100 are 0.07, although 0.07 × 100 > 7."""
    return passed / runs >= rate
