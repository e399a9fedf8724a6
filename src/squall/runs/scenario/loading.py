"""Reads a scenario: its file, and all that it names. Everything that is wrong is found before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from squall.canonical import digest
from squall.documents import Document, load, parse
from squall.errors import Problem, UsageError, nearest, shown
from squall.faults import Plan
from squall.runs.scenario.bundle import portable, unpack
from squall.runs.scenario.parts import parts_of
from squall.runs.scenario.reading import Reading, in_order
from squall.runs.scenario.spec import ScenarioSpec
from squall.runs.scenario.task import Step, Task

BEGIN = 'Begin it with [scenario] and name = "…".'


class Scenario(NamedTuple):
    """A scenario that holds. `data` is what the file says, `files` the texts of what it names, `folder` where they lie.

    `spec` has task, world and provider under `scenario`, wherever they stand in the file.
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

    def portable(self, text: str) -> str:
        """A text about a run as it would be on any machine: this scenario's files by their names from its folder."""
        return portable(text, self.folder, self.files)

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
    _require_scenario(document)
    return _understood(document, Path(path).parent, handlers=handlers)


def scenario_from(data: Mapping[str, Any], files: Mapping[str, str], into: Path) -> Scenario:
    """The scenario that a stored run was made from, with its files written below `into`."""
    import json  # here alone: a stored run's data become a document again

    document = parse(json.dumps(data, indent=1), format="json", name="run.json, inputs.scenario")
    _require_scenario(document)
    return _understood(document, unpack(files, into), handlers=True)


def _require_scenario(document: Document) -> None:
    data = document.data
    if is_scenario(data):
        return
    if isinstance(data, Mapping) and "scenario" in data:
        at = document.at(("scenario",))
        raise UsageError(Problem(f"'scenario' is {shown(data['scenario'])}, and no table", at, hint=BEGIN))
    close = next((key for key in data if nearest(key, ["scenario"])), None) if isinstance(data, Mapping) else None
    hint = f"Is {close!r} meant?" if close else BEGIN
    raise UsageError(Problem("this is no scenario: it has no [scenario] table", document.at(()), hint=hint))


def _understood(document: Document, folder: Path, *, handlers: bool) -> Scenario:
    document.data = _sorted(document.data)
    parts = parts_of(document)
    reading = Reading(document, folder, parts, handlers=handlers)
    plan = reading.plan()
    reading.check_the_rest()
    files: Mapping[str, str] = {}
    if not reading.problems:
        try:
            files = reading.files()
        except UsageError as error:
            reading.problems += error.problems
    if reading.problems:
        raise UsageError(in_order(reading.problems, document.name))
    whole = parts.spec.gathered()
    head = whole.scenario
    steps = tuple(Step(place, each.tool, each.arguments, each.writes) for place, each in enumerate(whole.steps))
    return Scenario(
        name=head.name,
        description=head.description,
        seed=head.seed,
        task=Task(head.name, head.task, steps),
        spec=whole,
        plan=plan,
        data=document.data,
        files=files,
        folder=folder,
        document=document,
    )


def _sorted(data: Any) -> Any:
    """The data with their keys in order: in a stored run they are, and nothing may depend on how they were written."""
    if isinstance(data, Mapping):
        return {key: _sorted(data[key]) for key in sorted(data)}
    return [_sorted(value) for value in data] if isinstance(data, list) else data
