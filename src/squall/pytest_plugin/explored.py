"""Which tests are explored: by their marker, or, where the session explores, by what they ask of squall.

Apart from the room that does it, so that sessions which explore nothing do not pay for it.
"""

from __future__ import annotations

import pytest

from _squall_pytest import FIXTURES, REPEATED
from squall.pytest_plugin.runs import index_of

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
    return _is_possible(test) and _speaks_of_runs(test)


def may_be(test: pytest.Function) -> bool:
    """Whether a test that says nothing of squall may turn out to ask a model, while a session explores or replays."""
    option = test.config.option
    if not (option.squall_explore or option.squall_replay) or test.get_closest_marker(MARKER):
        return False
    repeated = any(test.get_closest_marker(name) for name in REPEATED) or index_of(test) is not None
    return _is_possible(test) and not _speaks_of_runs(test) and not repeated


def _is_possible(test: pytest.Function) -> bool:
    return ELSEWHERE not in test.fixturenames and not hasattr(test.obj, "hypothesis")


def _speaks_of_runs(test: pytest.Function) -> bool:
    asks = not set(test.fixturenames).isdisjoint(FIXTURES)
    return asks or any(test.get_closest_marker(name) for name in OF_RUNS)
