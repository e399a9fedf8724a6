"""What `--lf` and `--stepwise` remember of groups: they know items, and a group is all of its runs.

Knows the two entries in pytest's cache and verdicts; nothing of runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squall.pytest_plugin.runs import group_of
from squall.pytest_plugin.verdict import NOT_PASSED, Outcome

FAILED, STEP = "cache/lastfailed", "cache/stepwise"


def remember_failed(cache: Any, outcomes: Mapping[str, Outcome], collected: Sequence[str], lost: set[str]) -> None:
    """For `--lf`: a failed group means all of its runs, and a passed one none of them."""
    failed: dict[str, bool] = cache.get(FAILED, {})
    for nodeid in collected:
        outcome = outcomes.get(group_of(nodeid), "undecided")
        if outcome in NOT_PASSED:
            failed[nodeid] = True
        elif outcome != "undecided" and nodeid not in lost:
            failed.pop(nodeid, None)
    runs = set(collected)
    cache.set(FAILED, {nodeid: True for nodeid in failed if nodeid in runs or nodeid not in outcomes})


def remember_step(cache: Any, outcomes: Mapping[str, Outcome], collected: Sequence[str]) -> None:
    """For `--stepwise`: it goes on with the first run of the group that failed last."""
    known = cache.get(STEP, None)
    at = known.get("last_failed") if isinstance(known, dict) else None
    if not at or outcomes.get(group_of(at), "undecided") == "undecided":
        return
    first = next((nodeid for nodeid in collected if group_of(nodeid) == at), None)
    cache.set(STEP, {**known, "last_failed": first})  # a run from the session before stands for a group that is done
