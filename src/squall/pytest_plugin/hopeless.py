"""Gates with a confidence that so few runs cannot pass: told before any of them runs, as runs may cost money.

Knows the numbers that a gate asks for; what its runs come to is for `verdict`.
"""

from __future__ import annotations

import pytest

from squall.errors import Problem
from squall.pytest_plugin.markers import place
from squall.pytest_plugin.notices import warn
from squall.pytest_plugin.run import Run
from squall.pytest_plugin.runs import size_of
from squall.pytest_plugin.verdict import percent

TOO_FEW = (
    "{group}: its gate cannot pass: to show {rate} at {confidence} confidence takes {needed} runs without a failure, "
    "and there {are}. Write mark.runs({needed}), or give --runs={needed}"
)
_TOLD = pytest.StashKey[set[str]]()


def report_hopeless(run: Run) -> Problem | None:
    """Tell, once per group, of a gate that no outcome of its runs passes; a problem if warnings are errors.

    A part of a group that somebody picked is left alone: that is a look at single runs, and no gate.
    """
    asked, item = run.asked, run.item
    told = item.config.stash.setdefault(_TOLD, set())
    whole = item.config.option.runs or asked.runs or 1
    if asked.rate is None or asked.confidence is None or run.group in told or size_of(item) != whole:
        return None
    from squall.stats.gate import gate  # most gates go by the plain share

    told.add(run.group)
    best = gate(whole, whole, asked.rate, asked.confidence)
    if best.more_if_all_pass is None:
        return None
    message = TOO_FEW.format(
        group=run.group,
        rate=percent(asked.rate),
        confidence=percent(asked.confidence),
        needed=whole + best.more_if_all_pass,
        are="is 1" if whole == 1 else f"are {whole}",
    )
    at = place(item, "min_pass_rate")
    escalated = warn(item.config, message, at)
    return Problem(escalated, at) if escalated else None
