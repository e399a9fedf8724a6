"""Loads a scenarios file: how single models behave, as `scenarios_spec` says. Raises UsageError with every place.

A script that it names is loaded too, which runs the code of a handler.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from squall.documents import Document, load, validate
from squall.errors import Problem, UsageError, shown
from squall.models.brain import Brain
from squall.models.builtin import NAMES, Says
from squall.models.named import NamedModel
from squall.models.scenarios_weather import MODELS, ScenariosWeather
from squall.models.script_file import load_brain

if TYPE_CHECKING:
    from squall.models.scenarios_spec import ScenarioSpec


class Scenarios:
    """What a file says: its models by name, their weather, and the sentinels of the built-in model that has some."""

    def __init__(self, models: Mapping[str, NamedModel], weather: ScenariosWeather, sentinels: tuple[str, ...]) -> None:
        self.models, self.weather, self.sentinels = models, weather, sentinels


def load_scenarios(path: str | Path, *, handlers: bool = True) -> Scenarios:
    """The scenarios in the file at `path`. Without `handlers` a script that names one is refused."""
    from squall.models.scenarios_spec import ScenariosSpec  # pydantic takes 40 ms, and most providers read no such file

    document = load(path)
    spec = validate(ScenariosSpec, document)
    problems: list[Problem] = []
    models: dict[str, NamedModel] = {}
    for name, each in spec.models.items():
        at = document.at((MODELS, name), key=True)
        if name in NAMES:
            hint = "Give yours another name; what happens to this one, rules of a fault plan can add to."
            problems.append(Problem(f"the model {shown(name)} is built in", at, hint=hint))
        try:
            models[name] = NamedModel(_brain(each, document, handlers=handlers), embeds=each.kind == "embedding")
        except UsageError as error:
            problems += [problem if problem.at else problem._replace(at=at) for problem in error.problems]
    if problems:
        raise UsageError(problems)
    return Scenarios(models, ScenariosWeather(spec.models, document), tuple(spec.sentinels))


def _brain(spec: ScenarioSpec, document: Document, *, handlers: bool) -> Brain | None:
    if spec.say is not None:
        return Says(spec.say)
    if spec.script is None:
        return None
    beside = document.path.parent if document.path else Path()
    return load_brain(beside / spec.script, handlers=handlers)
