"""Reads a scenario: its file, and all that it names. Everything that is wrong is found before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from squall.canonical import digest
from squall.documents import Document, load, load_handler, parse, validate
from squall.errors import Position, Problem, UsageError, nearest
from squall.faults import Plan
from squall.faults.plan import DEFAULT_CALLS, DEFAULT_SECONDS, Limits
from squall.runs.plans import targets_of
from squall.runs.scenario.bundle import bundle, functions, unpack
from squall.runs.scenario.plan import step_plan, wire_plan
from squall.runs.scenario.spec import PropertySpec, ScenarioSpec
from squall.runs.scenario.task import Step, Task
from squall.worlds import World

OWN_KEYS = frozenset(ScenarioSpec.model_fields)


class Scenario(NamedTuple):
    """A scenario that holds. `data` is what the file says, `files` the texts of what it names, `folder` where they lie.

    `at` gives the place of a part of the file, for messages.
    """

    name: str
    description: str
    seed: int
    task: Task
    spec: ScenarioSpec
    plan: Plan
    data: Mapping[str, Any]
    files: Mapping[str, str]
    folder: Path
    document: Document

    @property
    def world(self) -> Path | None:
        """The world's file."""
        return self._beside(self.spec.scenario.world)

    @property
    def provider(self) -> Path | None:
        """The file of what the model says."""
        return self._beside(self.spec.scenario.provider)

    @property
    def policy(self) -> Path | None:
        """The file of limits on tool calls."""
        return self._beside(self.spec.expect.policy)

    @property
    def digest(self) -> str:
        """64 hexadecimal digits over what the file says and what it names."""
        return digest({"scenario": self.data, "files": dict(self.files)})

    def _beside(self, name: str | None) -> Path | None:
        return None if name is None else self.folder / name


def is_scenario(data: Any) -> bool:
    """Whether a file's data are meant for a scenario of the lab."""
    return isinstance(data, Mapping) and isinstance(data.get("scenario"), Mapping)


def load_scenario(path: str | Path, *, handlers: bool = True) -> Scenario:
    """The scenario in a TOML, YAML or JSON file. Raises UsageError with everything that is wrong with it.

    Loading it runs the code of the handlers that its world and its script name; `handlers=False` refuses to.
    """
    document = load(path)
    if not is_scenario(document.data):
        keys = list(document.data) if isinstance(document.data, Mapping) else []
        close = next((key for key in keys if nearest(key, ["scenario"])), None)
        hint = f"Is {close!r} meant?" if close else 'Begin it with [scenario] and name = "…".'
        raise UsageError(Problem("this is no scenario: it has no [scenario] table", document.at(()), hint=hint))
    return _understood(document, Path(path).parent, handlers=handlers)


def scenario_from(data: Mapping[str, Any], files: Mapping[str, str], into: Path) -> Scenario:
    """The scenario that a stored run was made from, with its files written below `into`."""
    import json  # here alone: a stored run's data become a document again

    document = parse(json.dumps(data, indent=1), format="json", name="run.json, inputs.scenario")
    return _understood(document, unpack(files, into), handlers=True)


def _understood(document: Document, folder: Path, *, handlers: bool) -> Scenario:
    spec = validate(ScenarioSpec, document)
    reading = _Reading(document, folder, spec, handlers=handlers)
    plan = reading.plan()
    reading.check_the_rest()
    if reading.problems:
        raise UsageError(reading.problems)
    head = spec.scenario
    steps = tuple(Step(place, each.tool, each.arguments, each.writes) for place, each in enumerate(spec.steps))
    return Scenario(
        name=head.name,
        description=head.description,
        seed=head.seed,
        task=Task(head.name, head.task, steps),
        spec=spec,
        plan=plan,
        data=_plain(document.data),
        files={**bundle(folder, reading.named()), **functions(folder, reading.functions())},
        folder=folder,
        document=document,
    )


class _Reading:
    """Looks at what a scenario names, and gathers what is wrong."""

    def __init__(self, document: Document, folder: Path, spec: ScenarioSpec, *, handlers: bool) -> None:
        self._document, self._folder, self._spec, self._handlers = document, folder, spec, handlers
        self.problems: list[Problem] = []
        self._world: World | None = None
        if spec.scenario.world is not None:
            self._world = self._try(lambda: World.load(self._folder / str(spec.scenario.world), handlers=handlers))

    def plan(self) -> Plan:
        """The faults, or none where something is wrong with them."""
        spec = self._spec
        limits = Limits(
            seconds=DEFAULT_SECONDS if spec.limits.seconds is None else spec.limits.seconds,
            calls=DEFAULT_CALLS if spec.limits.steps is None else spec.limits.steps,
        )
        if spec.steps:
            made = self._try(lambda: step_plan(spec.faults, spec.steps, self._document, limits))
        elif spec.faults and (self._world is not None or spec.scenario.world is None):
            targets = () if self._world is None else targets_of(self._world)
            made = self._try(lambda: wire_plan(spec.faults, targets, self._document, limits))
        else:
            made = None
        return made if made is not None else Plan(limits=limits)

    def check_the_rest(self) -> None:
        """The script, the policy, the properties, the checks."""
        from squall.checks.policy import load_policy  # files that most scenarios do not name
        from squall.checks.registry import checks
        from squall.models import load_brain

        spec, folder = self._spec, self._folder
        if spec.scenario.provider is not None:
            self._try(lambda: load_brain(folder / str(spec.scenario.provider), handlers=self._handlers))
        if spec.expect.policy is not None:
            self._try(lambda: load_policy(folder / str(spec.expect.policy)))
        known = [check.name for check in checks()] if spec.expect.checks else []
        for place, name in enumerate(spec.expect.checks):
            if name not in known:
                self._say(
                    f"unknown check {name!r}", ("expect", "checks", place), nearest(name, known), "See docs/checks.md."
                )
        for place, each in enumerate(spec.expect.properties):
            self._check_property(place, each)

    def named(self) -> Iterator[str]:
        """The files that the scenario names."""
        head, expect = self._spec.scenario, self._spec.expect
        yield from (name for name in (head.world, head.provider, expect.policy) if name is not None)

    def functions(self) -> Iterator[str]:
        """The functions that it names."""
        yield from (each for each in self._spec.expect.properties if isinstance(each, str))

    def _check_property(self, place: int, each: PropertySpec | str) -> None:
        loc: tuple[str | int, ...] = ("expect", "properties", place)
        if isinstance(each, str):
            if not self._handlers:
                self._say(f"{each!r} names a function", loc, None, "Loading it runs code; leave --no-handlers out.")
                return
            near = self._document.path or self._folder / "scenario"
            self._try(lambda: load_handler(each, near, at=self._document.at(loc)))
            return
        needed = {"at_most_once": ("table", "by"), "exactly_once": ("table", "by"), "conserved": ("table", "field")}
        for key in needed.get(each.property, ()):
            if getattr(each, key) is None:
                self._say(f"{each.property} needs {key!r}", loc, None, f'Add {key} = "…".')
        if self._world is not None and each.table is not None:
            world, table = self._world, each.table
            self._try(lambda: world[table], self._document.at((*loc, "table")))

    def _say(self, message: str, loc: tuple[str | int, ...], close: str | None, hint: str) -> None:
        self.problems.append(Problem(message, self._document.at(loc), close, hint))

    def _try(self, do: Any, at: Position | None = None) -> Any:
        """What `do` gives; None, and its problems told, where it raises UsageError."""
        try:
            return do()
        except UsageError as error:
            placed = [each if each.at or at is None else each._replace(at=at) for each in error.problems]
            self.problems += placed
            return None


def _plain(data: Any) -> Any:
    """The data with plain dictionaries, in JSON's own types."""
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    return [_plain(value) for value in data] if isinstance(data, list) else data
