"""What checks can be told: thresholds and names. Where they are written down is not known here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.errors import Problem, UsageError, nearest, shown

AT_LEAST = {"loop_min_steps": 1, "repeat_threshold": 2, "cycle_threshold": 2, "max_attempts": 1}


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Thresholds count steps of a conversation, each with what the issue of the check calls for by default.

    `terminal_tools` are names of tools by whose call an agent ends: nothing is missing when a conversation ends on one.
    `user_id` is whom the run is for. `policy` is the limits that the check `policy` holds calls against. `extra` is
    for checks of plug-ins: what was said under their names.
    """

    loop_min_steps: int = 5
    repeat_threshold: int = 3
    cycle_threshold: int = 2
    max_attempts: int = 4
    terminal_tools: tuple[str, ...] = ()
    user_id: str | None = None
    policy: Any = None
    extra: Mapping[str, Any] = {}


DEFAULT = Options()
THRESHOLDS = tuple(AT_LEAST)


def thresholds(given: Mapping[str, Any], base: Options = DEFAULT) -> Options:
    """`base` with what was given by name. Raises `UsageError` with all that is wrong in it."""
    problems = []
    for name, value in given.items():
        if name == "terminal_tools":
            if (
                isinstance(value, str)
                or not isinstance(value, list | tuple)
                or not all(isinstance(e, str) for e in value)
            ):
                problems.append(Problem(f"terminal_tools is a list of names of tools, not {shown(value)}"))
        elif name not in AT_LEAST:
            known = (*THRESHOLDS, "terminal_tools")
            hint = f"There are {', '.join(known)}."
            problems.append(Problem(f"there is no option {name!r} of checks", nearest=nearest(name, known), hint=hint))
        elif isinstance(value, bool) or not isinstance(value, int) or value < AT_LEAST[name]:
            problems.append(Problem(f"{name} is a whole number from {AT_LEAST[name]} on, not {shown(value)}"))
    if problems:
        raise UsageError(problems)
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return msgspec.structs.replace(base, **plain)
