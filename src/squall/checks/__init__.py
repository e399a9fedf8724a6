"""Judges traces: what a run did is read once as a story, and each check says whether it finds what it looks for.

Knows neither wires nor tests: a recorded run and an exported one are judged by the same code.
"""

from __future__ import annotations

from squall.checks.check import Check
from squall.checks.judge import judge
from squall.checks.options import Options
from squall.checks.settings import Settings
from squall.checks.verdict import Verdict

__all__ = ["Check", "Options", "Settings", "Verdict", "judge"]
