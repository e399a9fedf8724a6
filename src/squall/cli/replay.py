"""`squall replay runs/ID`: a stored run, verified and made again."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from squall.cli.exploring import in_short
from squall.cli.of_lab import tell_json
from squall.documents.nearby import near
from squall.errors import Problem, UsageError
from squall.explore.calls import calls_of
from squall.reports.lines import wrapped
from squall.runs.exploring.keeping import arrivals_of
from squall.runs.exploring.meeting import BY_ARRIVAL, known
from squall.runs.exploring.of_lab import replay as replay_failure
from squall.runs.replay import Replayed
from squall.runs.replay import replay as made_again
from squall.store import regressions
from squall.store.reading import LOOKED_FOR, RUN, TRACE, run_folders

SHOWN = 3


def replay(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, or the file of a failure.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print what came of it as JSON.")] = False,
) -> None:
    """Run a stored run again, and compare the events.

    The run is verified, run again from what its folder holds, and compared event by event.

    The file of a failure that `squall explore` found is run again in the same way: exit status 1 unless it passes now.

    It runs the code that the run brings along (handlers of its world) and the strategy that it names. Exit status 0
    where all events are equal, or where the strategy is not there and nothing but the chain could be checked; 1 where
    they differ or the chain is broken.
    """
    if run.suffix == ".json" and run.name != RUN:
        _failure(run, as_json=as_json)
        return
    found = made_again(_folder(run))
    if as_json:
        tell_json(
            {"run": found.record.run, **{key: getattr(found, key) for key in Replayed._fields if key != "record"}}
        )
    else:
        _tell(found, run)
    if found.how == "diverged":
        raise typer.Exit(1)


def _folder(run: Path) -> Path:
    """The folder of a run, which may be named by one of its files. Raises UsageError where it is none."""
    folder = run.parent if run.is_file() else run
    if (folder / RUN).exists() or (folder / TRACE).exists():
        return folder
    beneath = list(islice(run_folders(folder), SHOWN + 1))
    if beneath:
        names = ", ".join(each.as_posix() for each in beneath[:SHOWN]) + (", …" if len(beneath) > SHOWN else "")
        raise UsageError(Problem(f"{str(run)!r} holds runs and is none", hint=f"Name one of them: {names}"))
    what = f"there is no run in {str(run)!r}" if folder.exists() else f"there is no {str(run)!r}"
    raise UsageError(Problem(what, nearest=near(run), hint=LOOKED_FOR))


def _failure(file: Path, *, as_json: bool) -> None:
    regression = regressions.read(file)
    schedule = known(file, regression).schedule
    found = replay_failure(regression)
    if as_json:
        tell_json({"test": regression.test, **found._asdict()})
    else:
        typer.echo(f"{file}: {found.words}")
        if found.leniently:
            typer.echo(wrapped(f"{BY_ARRIVAL}: {', '.join(found.leniently)}", 2))
        calls = calls_of((), arrivals_of(regression))
        typer.echo("\n".join(in_short(schedule, found.line, regression.violated, found.message, calls)))
    if found.how != "passes now":
        raise typer.Exit(1)


def _tell(found: Replayed, run: Path) -> None:
    if found.how == "reproduced":
        apart = f" {found.why}" if found.why else ""
        typer.echo(f"{run}: reproduced: all {found.events} events are equal{apart}, {found.record.status}")
    elif found.how == "verified":
        typer.echo(f"{run}: only verified: {found.why}; the chain of {found.events} events holds")
    else:
        typer.echo(f"{run}: diverged at event {found.events + 1}: {found.why}")
        typer.echo(f"  expected  {found.expected}")
        typer.echo(f"  got       {found.got}")
