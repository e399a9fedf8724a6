"""`stale_read`: a read answers with what was true before the latest writes, as a lagging replica does."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params


class StaleReadParams(Params):
    """Parameters of `stale_read`."""

    writes: Annotated[int, Field(ge=1)] = 1
    """How many of the latest writes the answer does not know of."""


def _act(params: StaleReadParams, _draw: Draw, _target: Target) -> Action:
    return Action(behind=params.writes)


KIND = Kind(
    name="stale_read",
    phase="after",
    act=_act,
    params=StaleReadParams,
    access=("read",),
    summary="A read answers as of before the latest write. It fires only where that makes a difference.",
    sees="MCP and plain callables: an ordinary result that was true a moment ago.",
    example="orders.get_order: { errors: { stale_read: 0.2 } }",
)
