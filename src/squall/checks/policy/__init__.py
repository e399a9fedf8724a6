"""Policies: what an agent's calls of tools are allowed to do, as a file says it, and where a run did otherwise.

Knows stories and documents; not which check reports what is found, and not where a project keeps its settings.
"""

from __future__ import annotations

from squall.checks.policy.breaches import Breach, Judged, breaches
from squall.checks.policy.file import find_policy, load_policy, policy_of
from squall.checks.policy.limits import BUILT_IN, Policy, ToolLimits

__all__ = [
    "BUILT_IN",
    "Breach",
    "Judged",
    "Policy",
    "ToolLimits",
    "breaches",
    "find_policy",
    "load_policy",
    "policy_of",
]
