"""`squall validate FILE…`: finds everything that is wrong with worlds, plans, policies, scripts, scenarios, at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from squall.call import Target
from squall.cli import of_models, of_policies, of_scenarios
from squall.documents import Document, load
from squall.errors import Problem, UsageError, counted, nearest
from squall.faults import Plan, parse_plan
from squall.runs.plans import targets_of
from squall.worlds import World
from squall.worlds.file.loading import possible_targets

Targets = tuple[Target, ...]
OF_WORLDS = frozenset({"name", "seed", "tool_names", "volatile"})
"""Keys that no plan has."""


def validate(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Scenarios, worlds, fault plans, policies, scripts, scenarios of models."),
    ],
    *,
    world: Annotated[Path | None, typer.Option(help="The world that the fault plans are for.")] = None,
    handlers: Annotated[bool, typer.Option(help="Load a file's handlers, which runs their code, or refuse.")] = True,
) -> None:
    """Check files and show every problem with its place. Exit status 2 when there is any.

    Files are YAML, TOML or JSON. With a scenario the files that it names are checked too. Loading a file that names
    handlers imports their modules, which runs code; --no-handlers refuses such a file. A plan is checked against
    --world where one is given; else its targets are taken on trust.
    """
    problems: list[Problem] = []
    possible: list[Targets] = [()]
    if world is not None:
        try:
            possible = [targets_of(World.load(world, handlers=handlers))]
        except UsageError as error:
            problems.extend(error.problems)
            possible = _possible(world, handlers=handlers)
    for file in files:
        try:
            typer.echo(f"{file}: {_checked(load(file), file, possible, handlers=handlers)}")
        except UsageError as error:
            problems.extend(problem for problem in error.problems if problem not in problems)
    if problems:
        raise UsageError(problems)


def _checked(document: Document, file: Path, possible: list[Targets], *, handlers: bool) -> str:
    if of_scenarios.is_scenario(document.data):
        return f"{of_scenarios.checked(file, handlers=handlers)}: nothing wrong"
    if _is_world(document):
        loaded = _world(document, file, handlers=handlers)
        plan = parse_plan(document, targets_of(loaded)) if loaded.spec.faults is not None else None
        return (
            f"a world, {counted(len(loaded.operations), 'operation')}"
            + (f", {_counted(plan)}" if plan else "")
            + ": nothing wrong"
        )
    if (kind := of_models.kind_of(document.data)) is not None:
        return f"{of_models.checked(kind, file, handlers=handlers)}: nothing wrong"
    if of_policies.is_policy(document.data, file):
        return f"{of_policies.checked(file)}: nothing wrong"
    plan = _plan(document, possible)
    if not possible[0]:  # without them no rule has a place in the plan
        return "a fault plan: nothing wrong, as far as can be told without --world"
    return f"a fault plan, {_counted(plan)}: nothing wrong"


def _is_world(document: Document) -> bool:
    """Whether a file is a world: it has services, or what was meant for them, or says what only a world says."""
    keys = document.data if isinstance(document.data, Mapping) else ()
    if "services" in keys:
        return True
    return "faults" not in keys and any(nearest(key, ["services"]) or key in OF_WORLDS for key in keys)


def _plan(document: Document, possible: list[Targets]) -> Plan:
    """The plan in a file. Where the world's operations are not certain, what is wrong is what is wrong either way."""
    try:
        return _agreed(document, possible)
    except UsageError as wrong:
        if isinstance(document.data, Mapping) and "faults" not in document.data:
            hint = "If it is to be a world, write services:; the rules of a plan stand under faults:."
            why = Problem("this is read as a fault plan, since it has no 'services'", document.at(()), hint=hint)
            raise UsageError([why, *wrong.problems]) from None
        raise


def _agreed(document: Document, possible: list[Targets]) -> Plan:
    found: list[tuple[Problem, ...]] = []
    plans = []
    for targets in possible:
        try:
            plans.append(parse_plan(document, targets))
        except UsageError as wrong:
            found.append(wrong.problems)
    if plans:
        return plans[0]
    raise UsageError([problem for problem in found[0] if all(problem in others for others in found)] or found[0])


def _world(document: Document, file: Path, *, handlers: bool) -> World:
    """The world in `file`. Where something is wrong with it, its faults are checked all the same, as far as can be."""
    try:
        return World.load(file, handlers=handlers)
    except UsageError as wrong:
        problems = list(wrong.problems)
        if isinstance(document.data, Mapping) and document.data.get("faults") is not None:
            try:
                _agreed(document, _possible(file, handlers=handlers))
            except UsageError as more:
                problems += [problem for problem in more.problems if problem not in problems]
        raise UsageError(problems) from None


def _possible(file: Path, *, handlers: bool) -> list[Targets]:
    """What faults may name in a world that is wrong; nothing, so that all is taken on trust, if that cannot be told."""
    try:
        return possible_targets(load(file), handlers=handlers)
    except UsageError:  # the file cannot even be read
        return [()]


def _counted(plan: Plan) -> str:
    rules = plan.rules
    count = len(rules.faults) + len(rules.latencies) + len(rules.limits)
    return counted(count, "fault rule")
