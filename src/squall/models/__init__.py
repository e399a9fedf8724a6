"""What the fake model says: brains that answer requests. Knows no protocol, and reads no file but its own.

With the values that a function of one's own is given and may return.
"""

from __future__ import annotations

from squall.call import Message, ModelRequest, Reply, ToolOffer, ToolUse, Usage
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
    "Message",
    "ModelRequest",
    "NoMatch",
    "PythonBrain",
    "Reply",
    "Rule",
    "Rules",
    "Scenarios",
    "Script",
    "ScriptFile",
    "ToolOffer",
    "ToolUse",
    "Turn",
    "Usage",
    "call",
    "calls",
    "expect",
    "load_brain",
    "load_scenarios",
    "refuse",
    "rule",
    "say",
]
