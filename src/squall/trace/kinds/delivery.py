"""`delivery`: an event of the world reached its listeners. One that came twice is there twice, with the same `id`."""

from __future__ import annotations

from squall.trace.kinds.base import Event


class Delivery(Event, frozen=True, kw_only=True, tag="delivery"):
    """`target` is the event as faults name it, `emitted` the second of the run at which it was emitted.

    `late` says that it came after that; `call` is which call caused it (None: the test itself).
    """

    event: str
    id: str
    target: str
    emitted: float
    late: bool = False
    call: int | None = None
