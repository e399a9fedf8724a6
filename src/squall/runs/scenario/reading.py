"""Looks at all that a scenario says and names, and gathers what is wrong, so that it is told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from squall.documents import Document, load
from squall.errors import Position, Problem, UsageError, nearest, shown
from squall.faults import Plan
from squall.faults.plan import DEFAULT_CALLS, DEFAULT_SECONDS, Limits
from squall.runs.plans import targets_of
from squall.runs.scenario.bundle import bundle, functions
from squall.runs.scenario.parts import Parts
from squall.runs.scenario.plan import Targets, wire_plan
from squall.runs.scenario.properties import function_named, wrong_with
from squall.runs.scenario.spec import MOVED
from squall.runs.scenario.stepped import step_plan
from squall.worlds import World
from squall.worlds.file.loading import possible_targets

Loc = tuple[str | int, ...]


class Named(NamedTuple):
    """A file that the scenario names, and where it does."""

    name: str
    loc: Loc


class Reading:
    """Gathers `problems`, those of the file's shape first."""

    def __init__(self, document: Document, folder: Path, parts: Parts, *, handlers: bool) -> None:
        self._document, self._folder, self._handlers = document, folder, handlers
        self._written, self._spec, self._unread = parts.spec, parts.spec.gathered(), parts.unread
        self.problems = list(parts.problems)
        self._whole = not self.problems  # else not all that is written is known
        head, expect = self._spec.scenario, self._spec.expect
        self._world_file = self._named(head.world, self._place("world"))
        self._provider_file = self._named(head.provider, self._place("provider"))
        self._policy_file = self._named(expect.policy, ("expect", "policy"))
        self._check_the_forms()
        self._world: World | None = None
        self._possible: list[Targets] = [()]
        if self._world_file is not None:
            self._load_world(self._folder / self._world_file.name)

    def plan(self) -> Plan:
        """The faults, or none where something is wrong with them."""
        spec, document = self._spec, self._document
        seconds, calls, tokens = spec.limits.seconds, spec.limits.steps, spec.limits.tokens
        limits = Limits(
            DEFAULT_SECONDS if seconds is None else seconds, DEFAULT_CALLS if calls is None else calls, tokens
        )
        made: Plan | None = None
        if spec.steps:
            made = self._try(lambda: step_plan(spec.faults, spec.steps, document, limits))
        elif spec.faults and (spec.scenario.world or spec.scenario.provider):
            made = self._try(
                lambda: wire_plan(
                    spec.faults,
                    self._possible,
                    document,
                    limits,
                    world=spec.scenario.world is not None,
                    provider=spec.scenario.provider is not None,
                    skip=self._unread,
                )
            )
        return made if made is not None else Plan(limits=limits)

    def check_the_rest(self) -> None:
        """The script, the policy, the checks, the properties."""
        from squall.checks.policy import load_policy  # files that most scenarios do not name
        from squall.checks.registry import checks
        from squall.models import load_brain

        expect, folder = self._spec.expect, self._folder
        if (script := self._provider_file) is not None:
            self._file(script, lambda path: load_brain(path, handlers=self._handlers))
        if (policy := self._policy_file) is not None:
            self._file(policy, load_policy)
        known = [check.name for check in checks()] if expect.checks else []
        for place, name in enumerate(expect.checks):
            loc = ("expect", "checks", place)
            if name not in known:
                self._say(f"unknown check {name!r}", loc, nearest(name, known), f"Checks: {', '.join(known)}.")
            elif name == "policy" and expect.policy is None:
                self._say("there is no policy to check", loc, None, 'Name one: policy = "policy.json".')
            elif name in expect.checks[:place]:
                self._say(f"the check {name!r} is named twice", loc, None, "Take one away.")
        if expect.properties and not self._spec.scenario.world and self._whole:
            self._say("there is no world to have properties", ("expect", "properties"), None, "Name a world.")
            return
        for place, each in enumerate(expect.properties):
            loc = ("expect", "properties", place)
            if not isinstance(each, str):
                self.problems += wrong_with(each, self._world, self._document, loc)
            elif not self._handlers:
                self._say(f"{each!r} names a function", loc, None, "Loading it runs code; leave --no-handlers out.")
            else:
                self._try(partial(function_named, each, self._document, folder, loc))

    def files(self) -> dict[str, str]:
        """The texts of all that the scenario names. Raises UsageError for what no other machine could find."""
        named = [each.name for each in (self._world_file, self._provider_file, self._policy_file) if each is not None]
        called = [each for each in self._spec.expect.properties if isinstance(each, str)]
        return {**bundle(self._folder, iter(named)), **functions(self._folder, iter(called))}

    # the parts of a scenario, held against each other

    def _check_the_forms(self) -> None:
        spec, written = self._spec, self._written
        head = spec.scenario
        for key in MOVED:
            if getattr(written, key) is not None and key in written.scenario.model_fields_set:
                hint = "It stands under [scenario] too; leave one of them out."
                self._say(f"{key!r} is given twice", (key,), None, hint, key=True)
        if spec.steps and (head.world or head.provider):
            other = "world" if head.world else "provider"
            hint = f"Leave the steps or the {other} out: with a world, its operations take the place of steps."
            self._say(f"a scenario has steps or a {other}, not both", ("steps",), None, hint, key=True)
        elif not (spec.steps or head.world or head.provider) and self._whole:
            hint = "Write [[steps]], or name a world or a provider's script."
            self._say(f"the scenario {shown(head.name)} has nothing to do", ("scenario",), None, hint)
        if "steps" in spec.expect.model_fields_set and not spec.steps and self._whole:
            hint = "Take it out; say what must hold by properties, checks or answer_contains."
            self._say("there are no steps to expect something of", ("expect", "steps"), None, hint, key=True)
        if spec.limits.tokens is not None and not (head.provider or spec.steps) and self._whole:
            hint = "Take it out, or name a provider's script."
            self._say("there is no model to use tokens", ("limits", "tokens"), None, hint, key=True)

    def _load_world(self, path: Path) -> None:
        before = len(self.problems)
        world = self._file(self._world_file, lambda path: World.load(path, handlers=self._handlers))
        if world is not None:
            self._world, self._possible = world, [targets_of(world)]
        elif len(self.problems) > before and path.is_file():
            try:
                self._possible = possible_targets(load(path), handlers=self._handlers) or [()]
            except UsageError:  # it cannot even be read
                self._possible = [()]

    # files

    def _place(self, key: str) -> Loc:
        return (key,) if getattr(self._written, key) is not None else ("scenario", key)

    def _named(self, name: str | None, loc: Loc) -> Named | None:
        """A file that is named; a problem where no other machine could find it."""
        if name is None:
            return None
        if Path(name).is_absolute() or name.startswith("~") or "\\" in name:
            hint = "Name it from the folder of the scenario, with / between the parts."
            self._say(f"{shown(name)} can be found on this machine alone", loc, None, hint)
            return None
        return Named(name, loc)

    def _file(self, named: Named | None, read: Callable[[Path], Any]) -> Any:
        """What is in a file; where there is none, the problem stands where the file is named."""
        if named is None:
            return None
        path = self._folder / named.name
        return self._try(lambda: read(path), None if path.is_file() else self._document.at(named.loc))

    def _say(self, message: str, loc: Loc, close: str | None, hint: str, *, key: bool = False) -> None:
        self.problems.append(Problem(message, self._document.at(loc, key=key), close, hint))

    def _try(self, do: Callable[[], Any], at: Position | None = None) -> Any:
        """What `do` gives; None, and its problems told, where it raises UsageError."""
        try:
            return do()
        except UsageError as error:
            self.problems += [each if each.at is not None else each._replace(at=at) for each in error.problems]
            return None


def in_order(problems: Iterable[Problem], name: str) -> Iterator[Problem]:
    """Each problem once, those of the file itself first and in its order."""

    def place(problem: Problem) -> tuple[bool, int, int]:
        at = problem.at
        if at is None or at.file != name:
            return True, 0, 0
        return False, at.line or 0, at.column or 0

    yield from sorted(dict.fromkeys(problems), key=place)
