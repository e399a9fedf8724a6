"""`model_call`: a logical request to a model begins. An SDK that tries again makes another `attempt` of the same."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class ModelCall(Event, frozen=True, kw_only=True, tag="model_call"):
    """`call` counts from 1 within the run, over both wires. `body` is the request as it came, without headers."""

    call: int
    target: str
    model: str
    stream: bool = False
    scope: str = ""
    body: Any
