"""`fault`: a rule met a call. Reached is not fired: a reply without the named field cannot lose it."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class Faulted(Event, frozen=True, kw_only=True, tag="fault"):
    """`rule` is the rule's place in the plan of `run_start`; `drawn` the uniform number where one was drawn."""

    call: int
    rule: int
    fault: str
    target: str
    phase: str
    reached: bool = True
    fired: bool
    drawn: float | None = None
    params: dict[str, Any] = {}
