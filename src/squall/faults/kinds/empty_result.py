"""`empty_result`: a reply with nothing in it, as from an index that has just been rebuilt."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, target: Target) -> Action:
    return Action(reply=Outcome("value", value=target.empty))


KIND = Kind(
    name="empty_result",
    phase="before",
    act=_act,
    summary="A successful reply that is empty.",
    sees="MCP and plain callables: an ordinary result, `[]` from an operation that lists, a last page without rows"
    " from one that lists in pages, and `{}` from any other.",
    example="payments.list_refunds: { errors: { empty_result: 0.1 } }",
)
