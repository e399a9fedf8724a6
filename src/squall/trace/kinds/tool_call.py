"""`tool_call`: a call arrives on the tool wire. It carries its point, the place where a fault could happen."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class ToolCall(Event, frozen=True, kw_only=True, tag="tool_call"):
    """`call` counts from 1 within the run; `masked` names the arguments that the point's digest leaves out.

    `access` is `read` or `write`, or empty where nobody says. `key` is the idempotency key that the call carries, where
    the tool says which. A call that only its caller saw has no point: its `digest` is empty and its `nth` 0.
    """

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
    key: str | None = None
