"""`run_start`: what the run was built from; with it a trace rebuilds every decision."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class RunStart(Event, frozen=True, kw_only=True, tag="run_start"):
    """`clock` is `virtual` or `wall`, `start` the instant that `t` counts from, `plan` the rules as resolved.

    `tools` are the names that could be called.
    """

    squall: str
    seed: int
    run_index: int
    clock: str
    start: str
    world: str | None = None
    world_digest: str | None = None
    plan_digest: str | None = None
    plan: list[dict[str, Any]] = []
    tools: list[str] = []
    limits: dict[str, float] = {}
