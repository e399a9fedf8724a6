"""`tool_call`: a call arrives on the tool wire. It carries its point, the place where a fault could happen."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class ToolCall(Event, frozen=True, kw_only=True, tag="tool_call"):
    """`call` counts from 1 within the run; `masked` names the arguments that the point's digest leaves out."""

    call: int
    tool: str
    target: str
    access: str
    args: Any
    scope: str = ""
    digest: str
    nth: int
    attempt: int = 1
    masked: list[str] = []
