"""Which tests are explored: by their marker, or, where the session explores, by what they ask of squall.

Apart from the room that does it, so that sessions which explore nothing do not pay for it.
"""

from __future__ import annotations

import pytest

from _squall_pytest import FIXTURES

MARKER = "explore"
OF_RUNS = ("world", "faults", "model", "clock")
ELSEWHERE = "mcp_stdio"
"""A fixture whose server is a process of its own: no schedule reaches it."""


def is_explored(test: pytest.Function) -> bool:
    """Whether a test is run under every fault, or under those of a kept failure."""
    if test.get_closest_marker(MARKER):
        return True
    option = test.config.option
    if not (option.squall_explore or option.squall_replay or option.squall_mutate_world):
        return False
    names = set(test.fixturenames)
    if ELSEWHERE in names or hasattr(test.obj, "hypothesis"):
        return False
    return not names.isdisjoint(FIXTURES) or any(test.get_closest_marker(name) for name in OF_RUNS)
