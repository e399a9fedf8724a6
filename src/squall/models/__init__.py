"""What the fake model says: brains that answer requests. Knows no protocol, and reads no file but its own."""

from __future__ import annotations

from squall.models.brain import Brain, Echo, NoMatch
from squall.models.conditions import Conditions, expect
from squall.models.python import PythonBrain
from squall.models.rules import Rule, Rules, rule
from squall.models.scenarios import Scenarios, load_scenarios
from squall.models.script import Script
from squall.models.script_file import ScriptFile, load_brain
from squall.models.turns import Turn, call, calls, refuse, say

__all__ = [
    "Brain",
    "Conditions",
    "Echo",
    "NoMatch",
    "PythonBrain",
    "Rule",
    "Rules",
    "Scenarios",
    "Script",
    "ScriptFile",
    "Turn",
    "call",
    "calls",
    "expect",
    "load_brain",
    "load_scenarios",
    "refuse",
    "rule",
    "say",
]
