"""The checks, one file each. The rule of each stands in the docstring of its module."""

from __future__ import annotations

from squall.checks.check import Check
from squall.checks.kinds import (
    abstention,
    announced_not_done,
    bad_tool_call,
    blind_retry,
    claimed_not_done,
    context_overflow,
    cyclic_loop,
    duplicate_side_effect,
    hidden_write_error,
    incomplete_stream,
    no_answer,
    orphan_call,
    policy,
    repeated_tool_call,
    retry_amplification,
    search_loop,
    unrecovered_model_error,
    unrecovered_tool_error,
)

BUILT_IN: tuple[Check, ...] = (
    search_loop.CHECK,
    repeated_tool_call.CHECK,
    cyclic_loop.CHECK,
    unrecovered_tool_error.CHECK,
    unrecovered_model_error.CHECK,
    context_overflow.CHECK,
    incomplete_stream.CHECK,
    no_answer.CHECK,
    bad_tool_call.CHECK,
    orphan_call.CHECK,
    duplicate_side_effect.CHECK,
    policy.CHECK,
    claimed_not_done.CHECK,
    hidden_write_error.CHECK,
    announced_not_done.CHECK,
    blind_retry.CHECK,
    retry_amplification.CHECK,
    abstention.CHECK,
)
"""In the order in which they are told: first those that fail a test by default, last the one that is off."""
