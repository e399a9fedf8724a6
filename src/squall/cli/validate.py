"""`squall validate FILE…`: finds everything that is wrong with worlds and fault plans, all at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from squall.call import Target
from squall.documents import Document, load
from squall.errors import Problem, UsageError
from squall.faults import Plan, parse_plan
from squall.runs.plans import targets_of
from squall.worlds import World


def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Worlds and fault plans (YAML, TOML, JSON).")],
    *,
    world: Annotated[Path | None, typer.Option(help="The world that the fault plans are for.")] = None,
    handlers: Annotated[bool, typer.Option(help="Load a world's handlers, which runs their code, or refuse.")] = True,
) -> None:
    """Check files and show every problem with its place. Exit status 2 when there is any.

    Loading a world that names handlers imports their modules, which runs code; --no-handlers refuses such a world.
    A plan is checked against --world where one is given; else its targets are taken on trust.
    """
    problems: list[Problem] = []
    targets: list[Target] = []
    if world is not None:
        try:
            targets = list(targets_of(World.load(world, handlers=handlers)))
        except UsageError as error:
            problems.extend(error.problems)
    for file in files:
        try:
            typer.echo(f"{file}: {_checked(load(file), file, targets, handlers=handlers)}")
        except UsageError as error:
            problems.extend(problem for problem in error.problems if problem not in problems)
    if problems:
        raise UsageError(problems)


def _checked(document: Document, file: Path, targets: list[Target], *, handlers: bool) -> str:
    if isinstance(document.data, Mapping) and "services" in document.data:
        loaded = _world(document, file, handlers=handlers)
        own = list(targets_of(loaded))
        plan = parse_plan(document, own) if loaded.spec.faults is not None else None
        return (
            f"a world, {_many(len(loaded.operations), 'operation')}"
            + (f", {_counted(plan)}" if plan else "")
            + ": nothing wrong"
        )
    plan = parse_plan(document, targets)
    if not targets:  # without them no rule has a place in the plan
        return "a fault plan: nothing wrong, as far as can be told without --world"
    return f"a fault plan, {_counted(plan)}: nothing wrong"


def _world(document: Document, file: Path, *, handlers: bool) -> World:
    """The world in `file`. Where something is wrong with it, its faults are checked all the same, as far as can be."""
    try:
        return World.load(file, handlers=handlers)
    except UsageError as wrong:
        problems = list(wrong.problems)
        if document.data.get("faults") is not None:
            try:
                parse_plan(document, [])  # against no targets: which ones there are is not certain
            except UsageError as more:
                problems += [problem for problem in more.problems if problem not in problems]
        raise UsageError(problems) from None


def _counted(plan: Plan) -> str:
    rules = plan.rules
    count = len(rules.faults) + len(rules.latencies) + len(rules.limits)
    return _many(count, "fault rule")


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
