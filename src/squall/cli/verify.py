"""`squall verify PATH…`: is a trace as it was written, or a stored run, or a folder of them?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from squall.documents.nearby import near
from squall.errors import Problem, UsageError
from squall.store import regressions
from squall.store.heads import read_heads
from squall.store.reading import LOOKED_FOR, RUN, run_folders
from squall.store.whole import BrokenRun, verify_run
from squall.trace import BrokenChain
from squall.trace import verify as verify_trace


def verify(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="Traces (JSON Lines), runs' folders, folders of runs.")
    ],
    head: Annotated[
        list[str] | None,
        typer.Option(help="A head or seal kept elsewhere, or a file of them: what is here must be just those."),
    ] = None,
) -> None:
    """Check stored runs, and the hash chain of traces. Exit status 1 names the first line that is bad, and why."""
    kept = read_heads(head or [])
    missing = dict(kept)
    unread: list[Problem] = []
    whole = broken = 0
    for path in _each(paths, unread):
        try:
            what, heads = _verified(path)
        except (BrokenChain, BrokenRun) as error:
            broken += 1
            typer.echo(f"{error}", err=True)
            if _is_failure(path):
                typer.echo("    It is the file of a failure and no trace: `squall replay` runs it again.", err=True)
            continue
        except OSError as error:
            unread.append(
                Problem(
                    f"cannot read {str(path)!r}: {error.strerror or error}",
                    nearest=near(path),
                    hint="Name a trace file, or a folder of runs.",
                )
            )
            continue
        for one in heads:
            missing.pop(one, None)
        if kept and not any(one in kept for one in heads):
            broken += 1
            strange = "it holds together, but neither its head nor its seal is among those that were kept"
            typer.echo(f"{path}: {strange}: {what}", err=True)
        else:
            whole += 1
            typer.echo(f"{path}: {what}")
    for one, where in missing.items():
        typer.echo(f"{where}: nothing here has the head or seal {one}: it was removed, or written anew", err=True)
    if unread:
        raise UsageError(unread)
    if whole + broken > 1:
        typer.echo(f"{whole + broken} looked at: {f'{broken} broken' if broken else 'all of them whole'}")
    if broken or missing:
        raise typer.Exit(1)


def _each(paths: list[Path], unread: list[Problem]) -> Iterator[Path]:
    """The traces and runs' folders that the paths name, each once."""
    seen: set[str] = set()
    for path in paths:
        if path.is_dir():
            found = list(run_folders(path))
            if not found:
                what = f"there is no run in {str(path)!r}, nor in the folders two levels down"
                unread.append(Problem(what, hint=LOOKED_FOR))
        else:
            found = [path.parent if path.name == RUN and path.is_file() else path]
        for each in found:
            if (place := os.path.realpath(each)) not in seen:
                seen.add(place)
                yield each


def _is_failure(path: Path) -> bool:
    """Whether it is a failure that was kept."""
    try:
        regressions.read(path)
    except UsageError:
        return False
    return True


def _verified(path: Path) -> tuple[str, tuple[str, ...]]:
    """What was found of a run or a trace, and the values to keep of it."""
    if path.is_dir():
        run = verify_run(path)
        what = f"{run.record.events} events of {run.record.run}, {run.record.status}"
        hashes = f"head {run.head} (its trace), seal {run.seal} (all of it)"
        return f"the run is whole: {what}, {hashes}", (run.head, run.seal)
    found = verify_trace(path)
    return f"the chain holds: {found.events} events of {found.run}, {found.status}, head {found.head}", (found.head,)
