"""How steps are shown in reasons: `get_order(order='7')`, `step 3`, `steps 2, 4 and 6`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squall.checks.story.shapes import NOT_JSON, ToolStep, Use
from squall.errors import shown

LONGEST_ARGUMENT = 40
LONGEST_CALL = 120
MOST_STEPS = 6


def call(step: ToolStep | Use) -> str:
    """A call with its arguments, cut where they are long."""
    name = step.tool if isinstance(step, ToolStep) else step.name
    raw = step.use.raw if isinstance(step, ToolStep) and step.use is not None else getattr(step, "raw", "")
    return f"{name}({_arguments(step.arguments, raw)})"


def steps(numbers: Sequence[int]) -> str:
    """The numbers of steps, the first few of many."""
    if len(numbers) == 1:
        return f"step {numbers[0]}"
    if len(numbers) > MOST_STEPS:
        return f"steps {', '.join(map(str, numbers[: MOST_STEPS - 1]))} … {numbers[-1]}"
    return f"steps {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def quoted(text: str, limit: int = 100) -> str:
    """Words of a model or of a tool, on one line; `;` would part the reason."""
    return shown(" ".join(text.split()).replace(";", ","), limit)


def _arguments(arguments: Any, raw: str) -> str:
    if arguments is NOT_JSON or not isinstance(arguments, Mapping):
        return quoted(raw, LONGEST_CALL) if raw else ""
    parts = [f"{name}={shown(value, LONGEST_ARGUMENT)}" for name, value in arguments.items()]
    text = ", ".join(parts).replace(";", ",")
    return text if len(text) <= LONGEST_CALL else f"{text[:LONGEST_CALL]} …"
