"""Checks scenarios of the lab for `squall validate`, told from other files by their keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from squall.errors import counted, nearest

KEY = "scenario"
BESIDE = frozenset({"steps", "expect", "provider", "prices"})
"""Keys that nothing else has at its top."""


def is_scenario(data: Any) -> bool:
    """Whether a file is a scenario, or was meant for one."""
    if not isinstance(data, Mapping):
        return False
    if KEY in data or BESIDE & data.keys():
        return True
    return any(nearest(key, [KEY]) and isinstance(value, Mapping) and "name" in value for key, value in data.items())


def checked(file: Path, *, handlers: bool) -> str:
    """What is in the file. Raises UsageError with all that is wrong with it, and with the files that it names."""
    from squall.runs.scenario import load_scenario  # worlds, brains and checks, which take their time to import

    scenario = load_scenario(file, handlers=handlers)
    rules = scenario.plan.rules
    faults = len(rules.faults) + len(rules.latencies) + len(rules.limits)
    if scenario.spec.steps:
        over = counted(len(scenario.spec.steps), "step")
    else:
        over = " and ".join(
            name for name, path in (("a world", scenario.world), ("a model", scenario.provider)) if path is not None
        )
    return f"a scenario, {over}, {counted(faults, 'fault')}"
