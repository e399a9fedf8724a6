"""Which strategy is meant: a built-in one, one that a package installs, `module:name`, or a command line.

A package installs one by an entry point of the group `squall.strategies` that names an object, or a class without
arguments. Says what identifies it: its name, its parameters, and a digest of the sources that it is made of.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal, NamedTuple

from squall.canonical import CanonicalError, digest, digest_bytes
from squall.errors import Problem, UsageError, nearest, said, shown
from squall.runs.strategies.baseline import Baseline
from squall.runs.strategies.careless import Careless
from squall.runs.strategies.command import Command, is_file
from squall.runs.strategies.identity import digest_of
from squall.runs.strategies.resilient import Resilient
from squall.runs.strategies.shelter import Sheltered
from squall.store.record import COMMAND, StrategyId

GROUP = "squall.strategies"
BUILT_IN: Mapping[str, Callable[[], Any]] = {"baseline": Baseline, "resilient": Resilient, "careless": Careless}
SHAPE = "A strategy has a name (a text) and async def run(self, task, env)."
SPELLING = "Write module:name, for a module that Python finds from here."


class Chosen(NamedTuple):
    """A strategy that was found. `make` gives the object for one run; `clock` is what its runs need."""

    id: StrategyId
    make: Callable[[], Any]
    clock: Literal["virtual", "wall"] = "virtual"


def strategy_named(name: str) -> Chosen:
    """The strategy that `name` means. Raises UsageError with the names that there are."""
    if ":" in name:
        return _chosen(_by_reference(name), name, name.partition(":")[0])
    if name in BUILT_IN:
        return _chosen(BUILT_IN[name], name)
    installed = _installed()
    if name in installed:
        entry = installed[name]
        return _chosen(_loaded(entry), name, entry.module, entry.dist)
    names = [*BUILT_IN, *installed]
    hint = f"There are {', '.join(names)}; your own is module:name, or --command 'a command line'."
    raise UsageError(Problem(f"there is no strategy {shown(name)}", None, nearest(name, names), hint))


def strategy_of_command(command: str) -> Chosen:
    """The strategy that is another program. Its identity is its words, and the contents of those that are files."""
    made = Command(command)
    files = {part: digest_bytes(Path(part).read_bytes()) for part in made.words if is_file(part)}
    return Chosen(StrategyId(made.name, made.parameters, digest(files), f"{COMMAND}{command}"), lambda: made, "wall")


def alike(chosen: Iterable[Chosen]) -> list[Problem]:
    """What is wrong where two of them cannot be told apart: they have one name, and the same parameters."""
    problems = []
    found: dict[tuple[str, str], Chosen] = {}
    for each in chosen:
        other = found.setdefault((each.id.name, digest(each.id.parameters)), each)
        if other is not each:
            message = f"{other.id.how!r} and {each.id.how!r} are both called {each.id.name!r}, with the same parameters"
            problems.append(Problem(message, hint="Give one of them another name: tables tell them by it."))
    return problems


def _installed() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for each in entry_points(group=GROUP):
        first = found.setdefault(each.name, each)
        if each.name in BUILT_IN or first.value != each.value:
            other = "squall's own" if each.name in BUILT_IN else first.value
            hint = "Uninstall one of the packages, or ask for it by module:name."
            raise UsageError(Problem(f"two strategies are called {each.name!r}: {other} and {each.value}", hint=hint))
    return found


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except (Exception, SystemExit) as error:  # a package's own code runs here
        why = f"the strategy {entry.name!r} ({entry.value}) cannot be loaded: {type(error).__name__}: {said(error)}"
        raise UsageError(Problem(why, hint="Mend or uninstall its package.")) from error


def _by_reference(reference: str) -> Any:
    module, _, name = reference.partition(":")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    if module.endswith(".py"):
        close = ".".join(Path(module).with_suffix("").parts) + f":{name}"
        raise UsageError(Problem(f"{shown(reference)} names a file, and not a module", None, close, SPELLING))
    try:
        found = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # it may raise anything while it loads
        why = f"the module of {shown(reference)} cannot be imported: {type(error).__name__}: {said(error)}"
        raise UsageError(Problem(why, hint=SPELLING)) from error
    for part in name.split("."):
        if not hasattr(found, part):
            names = [each for each in vars(found) if not each.startswith("_")]
            raise UsageError(Problem(f"{module} has no {name!r}", None, nearest(part, names), SPELLING))
        found = getattr(found, part)
    return found


def _chosen(found: Any, how: str, module: str = "", distribution: Distribution | None = None) -> Chosen:
    """Check that it is a strategy; a class is made without arguments, anew for each run."""
    make: Callable[[], Any] = found if isinstance(found, type) else lambda: found
    try:
        made = make()
        name: Any = getattr(made, "name", None)
        parameters: Any = getattr(made, "parameters", {})
    except Exception as error:  # a user's class may raise anything
        why = f"the strategy {how!r} cannot be made: {type(error).__name__}: {said(error)}"
        raise UsageError(Problem(why, hint="Give an object, or a class that needs no arguments.")) from error
    if lacking := _lacking(made, name):
        raise UsageError(Problem(f"{how!r} is no strategy: {lacking} ({shown(found)})", hint=SHAPE))
    try:
        told = dict(parameters)
        digest(told)
    except (CanonicalError, TypeError, ValueError) as error:
        why = f"the parameters of the strategy {name!r} are {shown(parameters)}, which is not JSON-ready: {said(error)}"
        raise UsageError(Problem(why, hint="Give a mapping of texts to plain values.")) from None
    sources = digest_of((type(made).__module__, *([module] if module else [])), distribution)
    deterministic = getattr(made, "deterministic", False) is True
    return Chosen(StrategyId(name, told, sources, how, deterministic), lambda: Sheltered(make()))


def _lacking(made: Any, name: object) -> str:
    """What it lacks for a strategy: a name, or `async def run(task, env)`. Empty where nothing."""
    if not isinstance(name, str) or not name.strip():
        return "it has no name"
    run = getattr(made, "run", None)
    if not callable(run):
        return "it has no run"
    if not inspect.iscoroutinefunction(run):
        return "its run is no async def"
    try:
        inspect.signature(run).bind(None, None)
    except TypeError:
        return "its run does not take task and env"
    return ""
