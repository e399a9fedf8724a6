"""`effect`: one committed change of the world. `late` says that it landed after its caller had been answered."""

from __future__ import annotations

from typing import Any

from squall.trace.kinds.base import Event


class Effected(Event, frozen=True, kw_only=True, tag="effect"):
    """`op` is `insert`, `update` or `delete`; `call` is None for a change made by the test itself."""

    rev: int
    table: str
    op: str
    id: Any
    before: Any = None
    after: Any = None
    call: int | None = None
    late: bool = False
