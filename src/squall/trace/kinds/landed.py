"""`landed`: what a late effect came to. Its caller was answered long before, so nobody else is told."""

from __future__ import annotations

from squall.trace.kinds.base import Event


class Landed(Event, frozen=True, kw_only=True, tag="landed"):
    """`form` is the outcome's: `value`, or `refused` or `crashed`, and then nothing of the effect is there."""

    call: int
    form: str
    error: str | None = None
    detail: str | None = None
