"""`squall compare DIR… --output report.html`: stored runs, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squall.cli.of_lab import replay_command, report_at, writing
from squall.errors import counted
from squall.reports import lab_json, lab_terminal
from squall.reports.lab_files import write_beside
from squall.reports.pairs import Pair, summarize_pair
from squall.reports.summary import summarize
from squall.store import read_runs

TWO = 2


def compare(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders of runs.")],
    *,
    output: Annotated[Path | None, typer.Option(help="Write a report.html here, and CSV and more beside it.")] = None,
    title: Annotated[str, typer.Option(help="The report's heading.")] = "squall compare",
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Compare stored runs: rates, intervals, failures.

    It shows pass rates with their intervals, faults, latencies, and every failure. With two folders their runs are also
    compared in pairs, by scenario and seed. Exit status 0 where every run passed, 1 where not, 2 for wrong input.
    """
    report_at(output)
    stored = read_runs(folders)
    records = [each.record for each in stored]
    traces = {(each.record.hash, each.record.head): each.trace for each in stored}
    summary = summarize(records)
    pairs = _against(folders)
    if output is not None:
        with writing(output):
            write_beside(
                output,
                summary,
                records,
                lambda record: traces[record.hash, record.head],
                title=title,
                replay=lambda record: replay_command(traces[record.hash, record.head].parent, beside=output),
                against=pairs,
            )
    if as_json:
        typer.echo(lab_json.json(summary, pairs), nl=False)
    else:
        typer.echo(lab_terminal.terminal(summary, pairs))
        if output is not None:
            typer.echo(f"{counted(len(records), 'run')}; report: {output}")
    if any(record.status != "passed" for record in records):
        raise typer.Exit(1)


def _against(folders: list[Path]) -> list[Pair]:
    """The runs of two folders side by side; of one, or of three, there are no two."""
    if len(folders) != TWO:
        return []
    first, second = ([each.record for each in read_runs([folder])] for folder in folders)
    return list(summarize_pair(first, second))
