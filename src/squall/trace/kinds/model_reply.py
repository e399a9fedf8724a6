"""`model_reply`: what an attempt came to, as far as the server knows."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class ModelReply(Event, frozen=True, kw_only=True, tag="model_reply"):
    """`response` is the body as it was planned; `status` None: no byte of an answer went out.

    `complete`: all of it was written, which does not say that the client got it. `injected`: a fault ended it;
    `disconnected`: the client did. `faults` are those that really happened, with what was measured. `text`, `calls` and
    `finish` are what the model said, in neutral words.
    """

    call: int
    attempt: int
    ok: bool
    status: int | None = None
    text: str | None = None
    calls: list[dict[str, Any]] = []
    finish: str | None = None
    usage: dict[str, int] = {}
    error: str | None = None
    complete: bool = True
    injected: bool = False
    disconnected: bool = False
    faults: list[dict[str, Any]] = []
    latency_ms: float = 0.0
    response: Any = None
