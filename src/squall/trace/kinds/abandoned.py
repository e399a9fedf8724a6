"""`abandoned`: a caller gave up before it was answered. Whether it said so, and what became of the operation."""

from __future__ import annotations

from squall.trace.kinds.base import Event


class Abandoned(Event, frozen=True, kw_only=True, tag="abandoned"):
    """`told`: whether the caller sent a cancellation that reached the server.

    `operation`: `done` (it ran to its end), `running` (it goes on without the caller), `late` (it is to land later),
    `not_run` (nothing of it happened, or what had begun was undone).
    """

    call: int
    told: bool
    operation: str
