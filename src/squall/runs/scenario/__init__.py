"""Scenarios: files that say what an agent has to do, what goes wrong meanwhile, and what must hold at the end."""

from __future__ import annotations

from squall.runs.scenario.loading import Scenario, is_scenario, load_scenario, scenario_from
from squall.runs.scenario.task import Step, Task

__all__ = ["Scenario", "Step", "Task", "is_scenario", "load_scenario", "scenario_from"]
