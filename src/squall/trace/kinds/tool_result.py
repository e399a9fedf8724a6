"""`tool_result`: what the caller got, or that it no longer waited."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class ToolResult(Event, frozen=True, kw_only=True, tag="tool_result"):
    """`form` is the outcome's (`value`, `text`, `refused`, …) or `cancelled`; `detail` is for the tester alone."""

    call: int
    ok: bool
    form: str
    result: Any = None
    error: str | None = None
    status: int | None = None
    retry_after: float | None = None
    latency_ms: float = 0.0
    world_rev: int = 0
    detail: str | None = None
