"""Checks the files of `squall model` for `squall validate`: scripts and scenarios, told from plans by their keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from squall.errors import counted

OF_SCRIPTS = frozenset({"turn", "rule", "handler"})
OF_SCENARIOS = frozenset({"models", "sentinels"})
Kind = Literal["script", "scenarios"]


def kind_of(data: Any) -> Kind | None:
    """Which of both a file's data is, or None."""
    if not isinstance(data, Mapping):
        return None
    if OF_SCRIPTS & data.keys():
        return "script"
    return "scenarios" if isinstance(data.get("models"), Mapping) or (data and data.keys() <= OF_SCENARIOS) else None


def checked(kind: Kind, file: Path, *, handlers: bool) -> str:
    """What is in the file. Raises UsageError with everything that is wrong with it."""
    from squall.models import load_brain, load_scenarios  # brains and kinds of fault, which take their time to import
    from squall.runs.models_weather import plan_of

    if kind == "script":
        load_brain(file, handlers=handlers)
        return "a script for models"
    scenarios = load_scenarios(file, handlers=handlers)
    plan_of(scenarios)
    number = len(scenarios.models)
    return f"scenarios of {counted(number, 'model')}"
