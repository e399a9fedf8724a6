"""`run_end`: the last event. It carries the number of events, itself included, so that a truncated file shows."""

from __future__ import annotations

from squall.trace.kinds.base import Event


class RunEnd(Event, frozen=True, kw_only=True, tag="run_end"):
    """`status` as in the glossary; `not_fired` the counting rules that never fired, by place in the plan."""

    status: str
    count: int
    not_fired: list[int] = []
