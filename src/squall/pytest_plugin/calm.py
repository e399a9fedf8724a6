"""Runs that met no weather although chance could have sent some: what to say of them.

Knows plans, traces and records of runs; whether and where it is said is decided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from squall.pytest_plugin.record import RunRecord

if TYPE_CHECKING:
    from squall.runs.environment import Environment

NAMED = 3
NEVER = "no drawn fault fired{where}, because {names} never called: aim the faults at what the agent calls"
RARELY = "no drawn fault fired{where}, so none was tested: {remedy}"


def aims(environment: Environment) -> dict[str, int]:
    """How often the agent called each operation that a drawn fault may strike."""
    tools = {operation.target.name: tool for tool, operation in environment.interposer.operations.items()}
    asked = Counter(call.tool for call in environment.trace.calls())
    names = dict.fromkeys(name for rule in environment.plan.rules.faults if rule.drawn for name in rule.targets)
    return {name: asked[tools[name]] if name in tools else 1 for name in names}  # what is no tool's leaves no call


def of_single(aimed: Mapping[str, int]) -> str:
    """About a test that is not repeated and was not hit."""
    return _sentence(aimed, "", "add @pytest.mark.runs(20), or raise the probability")


def of_group(runs: Collection[RunRecord], size: int) -> str | None:
    """About a group, if none of its runs was hit; a group of which only some runs were selected proves nothing."""
    tried = [run for run in runs if run.status != "skipped"]
    if not tried or len(runs) < size or any(run.fired or not run.drawn or run.whole > size for run in tried):
        return None
    aimed = Counter[str]()
    for run in tried:
        aimed.update(run.aims)  # keeps what was never called, with 0
    if size == 1:
        return _sentence(aimed, "", "add @pytest.mark.runs(20), or raise the probability")
    return _sentence(aimed, f" in any of the {size} runs", "raise the probabilities or the number of runs")


def _sentence(aimed: Mapping[str, int], where: str, remedy: str) -> str:
    missed = [name for name, calls in aimed.items() if not calls]
    names = ", ".join(missed[:NAMED]) + (f" and {len(missed) - NAMED} more" if len(missed) > NAMED else "")
    names += " was" if len(missed) == 1 else " were"
    if missed and len(missed) == len(aimed):
        return NEVER.format(where=where, names=names)
    said = RARELY.format(where=where, remedy=remedy)
    return f"{said} ({names} never called)" if missed else said
