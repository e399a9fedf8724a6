"""`stale_memory`: the agent remembers a step's result from before, and it is not true any more."""

from __future__ import annotations

from typing import Any

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params


class StaleMemoryParams(Params):
    """Parameters of `stale_memory`."""

    value: Any = None
    """What is remembered; the step's result with one part changed where it is not given."""


def _act(_params: StaleMemoryParams, _draw: Draw, _target: Target) -> Action:
    return Action(behind=1)


KIND = Kind(
    name="stale_memory",
    phase="before",
    act=_act,
    params=StaleMemoryParams,
    summary="The agent's memory holds an older result of the step, with the version that it is of.",
    sees="`env.recall(step)` gives a `Memory` whose `version` is behind `env.version(step)`.",
    example='[[faults]]\nkind = "stale_memory"\nstep = 1\nvalue = { price = 11 }',
)
