"""What an agent is told: a text, or steps to be made one after the other. Not told: results, faults, expectations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Step(msgspec.Struct, frozen=True):
    """One call that the task asks for. `index` counts from 0; `writes`: doing it twice is not the same as once."""

    index: int
    tool: str
    arguments: Mapping[str, Any]
    writes: bool = True


class Task(msgspec.Struct, frozen=True):
    """`text` for agents that read, `steps` for those that follow; either may be empty."""

    name: str
    text: str = ""
    steps: tuple[Step, ...] = ()
