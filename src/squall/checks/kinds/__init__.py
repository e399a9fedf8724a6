"""The checks, one file each. The rule of each stands in the docstring of its module."""

from __future__ import annotations

from squall.checks.check import Check
from squall.checks.kinds import bad_tool_call, no_answer, policy, repeated_tool_call, search_loop

BUILT_IN: tuple[Check, ...] = (
    search_loop.CHECK,
    repeated_tool_call.CHECK,
    no_answer.CHECK,
    bad_tool_call.CHECK,
    policy.CHECK,
)
"""In the order in which they are told."""
