"""What the report of an exploration does not show, said in it: so that nobody takes a claim for more than it is."""

from __future__ import annotations

from collections.abc import Sequence

from squall.reports.exploration import Exploration
from squall.reports.limits import REVIEW

MEANING = (
    "That nothing failed means that none of the faults which were tried broke what is expected. Nothing is said about "
    "other faults, nor about what nobody expects."
)
POINTS = (
    "Faults were tried at the points of these very runs. With another task, other data or another seed an agent goes "
    "other ways, and has other points."
)
BY_NAME = (
    "Faults of which no agent can know (a wrong value that looks right), and those that only end a run, are tried "
    "where they are asked for by name."
)
PRUNED = (
    "What was left out as known takes for granted that an agent’s doings depend on what it has been told, and on "
    "nothing else."
)
VACUOUS = (
    "Whether what is expected can fail at all was not looked at everywhere: --mutate-world alters the end state to see."
)
SIMULATED = (
    "Services and models here are simulated or scripted: a failure is one of this agent, and a pass is no promise "
    "about services that behave otherwise."
)


def limits(explorations: Sequence[Exploration]) -> list[str]:
    """Sentences, the weightiest first."""
    said = [MEANING, POINTS, BY_NAME]
    if any(each.coverage.pruned for each in explorations):
        said.append(PRUNED)
    if any(each.altered is None for each in explorations):
        said.append(VACUOUS)
    return [*said, SIMULATED, REVIEW]
