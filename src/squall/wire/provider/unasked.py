"""What came of one request that asks no model anything: lists, kept completions, counts. It is no attempt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Unasked(msgspec.Struct):
    """One such request while it is answered. `asked` is its body (None: no JSON object), `scope` one that it names.

    `response` is the body as it was planned, a stream's as if it had been none.
    """

    path: str
    asked: Mapping[str, Any] | None
    headers: Mapping[str, str]
    scope: str | None
    response: Any
    began: float
    ended: float = 0.0
    status: int = 200
    complete: bool = False
    disconnected: bool = False
