"""`mark`: a named moment that the test or the agent's adapter wants to find again."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class Mark(Event, frozen=True, kw_only=True, tag="mark"):
    """`data` is whatever was given with the name."""

    name: str
    data: dict[str, Any] = {}
