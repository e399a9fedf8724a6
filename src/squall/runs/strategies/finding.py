"""Which strategy is meant: a built-in one, one that a package installs, `module:name`, or a command line.

Says what identifies it: its name, its parameters, and a digest of the sources that it is made of.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal, NamedTuple

from squall.canonical import CanonicalError, digest, digest_bytes
from squall.errors import Problem, UsageError, nearest, said, shown
from squall.runs.scenario.sources import closure, package_files
from squall.runs.strategies.baseline import Baseline
from squall.runs.strategies.careless import Careless
from squall.runs.strategies.command import Command
from squall.runs.strategies.resilient import Resilient
from squall.store.record import StrategyId

GROUP = "squall.strategies"
BUILT_IN: Mapping[str, Callable[[], Any]] = {"baseline": Baseline, "resilient": Resilient, "careless": Careless}


class Chosen(NamedTuple):
    """A strategy that was found. `make` gives the object for one run; `clock` is what its runs need."""

    id: StrategyId
    make: Callable[[], Any]
    clock: Literal["virtual", "wall"] = "virtual"


def strategy_named(name: str) -> Chosen:
    """The strategy that `name` means. Raises UsageError with the names that there are."""
    if ":" in name:
        return _chosen(_by_reference(name), name)
    if name in BUILT_IN:
        made = BUILT_IN[name]()
        return _chosen(made, name)
    installed = _installed()
    if name in installed:
        return _chosen(_loaded(installed[name]), name)
    names = [*BUILT_IN, *installed]
    hint = f"There are {', '.join(names)}; your own is module:name, or --command 'a command line'."
    raise UsageError(Problem(f"there is no strategy {shown(name)}", None, nearest(name, names), hint))


def strategy_of_command(command: str) -> Chosen:
    """The strategy that is another program."""
    made = Command(command)
    files = {part: digest_bytes(Path(part).read_bytes()) for part in made.words if _is_file(part)}
    return Chosen(StrategyId(made.name, made.parameters, digest(files), f"--command {command}"), lambda: made, "wall")


def strategies(names: str) -> list[Chosen]:
    """Those that a list with commas names."""
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise UsageError(Problem("no strategy is named", hint=f"Name some: {','.join(BUILT_IN)}."))
    return [strategy_named(name) for name in dict.fromkeys(wanted)]


def _installed() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for each in entry_points(group=GROUP):
        if each.name in BUILT_IN or each.name in found:
            hint = "Uninstall one of the packages, or ask for it by module:name."
            raise UsageError(Problem(f"two strategies are called {each.name!r}: {each.value}", hint=hint))
        found[each.name] = each
    return found


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:  # a package's own code runs here
        why = f"the strategy {entry.name!r} ({entry.value}) cannot be loaded: {type(error).__name__}: {said(error)}"
        raise UsageError(Problem(why, hint="Mend or uninstall its package.")) from error


def _by_reference(reference: str) -> Any:
    module, _, name = reference.partition(":")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = importlib.import_module(module)
    except Exception as error:  # it may raise anything while it loads
        why = f"the module of {shown(reference)} cannot be imported: {type(error).__name__}: {said(error)}"
        raise UsageError(Problem(why, hint="Write module:name, for a module that Python finds from here.")) from error
    for part in name.split("."):
        if not hasattr(found, part):
            names = [each for each in vars(found) if not each.startswith("_")]
            raise UsageError(Problem(f"{module} has no {name!r}", None, nearest(part, names), "Write module:name."))
        found = getattr(found, part)
    return found


def _chosen(found: Any, how: str) -> Chosen:
    """Check that it is a strategy; a class is made without arguments, anew for each run."""
    make: Callable[[], Any] = found if isinstance(found, type) else lambda: found
    try:
        made = make()
    except Exception as error:  # a user's class may raise anything
        why = f"the strategy {how!r} cannot be made: {type(error).__name__}: {said(error)}"
        raise UsageError(Problem(why, hint="Give an object, or a class that needs no arguments.")) from error
    name = getattr(made, "name", None)
    if not isinstance(name, str) or not name or not inspect.iscoroutinefunction(getattr(made, "run", None)):
        hint = "A strategy has a name (a text) and async def run(self, task, env)."
        raise UsageError(Problem(f"{how!r} is no strategy but {shown(found)}", hint=hint))
    parameters = dict(getattr(made, "parameters", {}))
    try:
        digest(parameters)
    except CanonicalError as error:
        raise UsageError(
            Problem(f"the parameters of the strategy {name!r} are not JSON-ready: {said(error)}")
        ) from None
    sources = _digest_of(type(made).__module__)
    deterministic = getattr(made, "deterministic", False) is True
    return Chosen(StrategyId(name, parameters, sources, how, deterministic), make)


@cache
def _digest_of(module: str) -> str:
    """A digest of the sources of a module's package, or of the module and what it imports from beside it."""
    found = sys.modules.get(module)
    file = getattr(found, "__file__", None)
    if file is None:
        return ""
    top = sys.modules.get(module.partition(".")[0])
    folder = Path(str(getattr(top, "__file__", file))).parent
    if "." not in module and not hasattr(found, "__path__"):
        files = closure(Path(file), (folder,))
    elif module.startswith("squall."):
        folder = Path(file).parent  # the rest of squall is told by its version
        files = package_files(folder)
    else:
        files = package_files(folder)
    return digest({each.relative_to(folder).as_posix(): digest_bytes(each.read_bytes()) for each in files})


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False
