"""`attempt_end`: what one request to a model came to, as the client below its SDK saw it."""

from __future__ import annotations

from squall.trace.kinds.base import Event


class AttemptEnd(Event, frozen=True, kw_only=True, tag="attempt_end"):
    """The head of an answer came, or none did: then `status` is None and `error` says why.

    `attempt` counts the tries of one call from 1; `latency_ms` is from the sending of the request to here;
    `retry_after` is in seconds, where the answer names them.
    """

    call: int
    attempt: int
    status: int | None = None
    retry_after: float | None = None
    error: str | None = None
    latency_ms: float = 0.0
