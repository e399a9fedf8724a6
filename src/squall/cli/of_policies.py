"""Checks policy files for `squall validate`, told from plans by their keys and by where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from squall.errors import counted, nearest

KEYS = frozenset({"allow", "deny_patterns", "max_arg_chars", "max_calls", "require_complete"})
"""Keys that nothing else has at its top."""
FOLDERS = (".squall", ".faultline")


def is_policy(data: Any, file: Path) -> bool:
    """Whether a file is a policy, or was meant for one."""
    if file.stem == "policy" and file.absolute().parent.name in FOLDERS:
        return True
    if not isinstance(data, Mapping) or "faults" in data:
        return False
    return bool(KEYS & data.keys()) or "tools" in data or any(nearest(key, KEYS) for key in data)


def checked(file: Path) -> str:
    """What is in the file. Raises UsageError with everything that is wrong with it."""
    from squall.checks.policy import load_policy  # checks, which take their time to import

    number = len(load_policy(file).tools)
    return f"a policy, limits on {counted(number, 'tool')}" if number else "a policy"
