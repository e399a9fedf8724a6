"""`model_call`: a logical request to a model begins. An SDK that tries again makes another `attempt` of the same."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class ModelCall(Event, frozen=True, kw_only=True, tag="model_call"):
    """`call` counts from 1 within the run, over both wires.

    `continues` is an earlier call whose messages this request begins with; `messages` are those that come after them,
    in the provider's own shape, and `tools` those offered (None: as there). `asked` is the rest of the request.
    """

    call: int
    target: str
    model: str
    stream: bool = False
    scope: str = ""
    continues: int | None = None
    messages: Any
    tools: Any = None
    asked: dict[str, Any] = {}
