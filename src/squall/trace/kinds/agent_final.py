"""`agent_final`: what the agent said at last, or how it ended."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class AgentFinal(Event, frozen=True, kw_only=True, tag="agent_final"):
    """`answer` where it returned; `error` (type and text) where it raised."""

    answer: Any = None
    error: str | None = None
