"""What a fault of a scenario's own is at: the call of a step, the agent's memory of one, what asks for it.

`step0.issue_refund` is a call, `memory.step0` the memory of a step, `asks.step0` what asks for it, and `asks.task` what
asks for the whole task.
"""

from __future__ import annotations

import re

from squall.call import Target
from squall.runs.scenario.spec import StepSpec

TASK = "asks.task"
OF_STEP = re.compile(r"step(?P<call>\d+)\.(?P<tool>.*)|(?:memory|asks)\.step(?P<beside>\d+)", re.DOTALL)


def call_target(index: int, step: StepSpec) -> Target:
    """What a call of the step addresses."""
    result = step.result
    row = result[0] if isinstance(result, list) and result else result
    return Target(
        f"step{index}.{step.tool}",
        step.tool,
        access="write" if step.writes else "read",
        fields=tuple(step.arguments),
        returns=tuple(row) if isinstance(row, dict) else (),
        many=isinstance(result, list),
        empty=[] if isinstance(result, list) else {},
    )


def memory_target(index: int) -> Target:
    """The agent's memory of a step."""
    return Target(f"memory.step{index}", "")


def asks_target(index: int | None) -> Target:
    """What asks for a step, or for the whole task."""
    return Target(TASK if index is None else f"asks.step{index}", "")


def place_of(target: str) -> str:
    """A target of a scenario's own in words: `step 0, issue_refund`."""
    if target == TASK:
        return "the task"
    found = OF_STEP.fullmatch(target)
    if found is None:
        return target
    return f"step {found['call']}, {found['tool']}" if found["call"] else f"step {found['beside']}"
