"""`attempt`: one request to a model on the wire. It carries its point, the place where a fault could happen."""

from __future__ import annotations

from squall.trace.kinds.base import Event


class Attempt(Event, frozen=True, kw_only=True, tag="attempt"):
    """`attempt` counts the tries of one call from 1; `number` all requests of that endpoint, model and scope.

    `masked` names the parts of the body that the point's digest leaves out. A request that only its sender saw has no
    point: its `digest` is empty and its `nth` 0.
    """

    call: int
    attempt: int
    number: int
    target: str
    scope: str = ""
    digest: str
    nth: int
    masked: list[str] = []
