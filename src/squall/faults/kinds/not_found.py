"""`not_found`: the service says that it knows no such thing, though it does (a replica that lags, say)."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


class NotFoundParams(Params):
    """Parameters of `not_found`."""

    message: str = "404 Not Found"
    """The text of the error."""


def _act(params: NotFoundParams, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("refused", error=params.message, status=404))


KIND = Kind(
    name="not_found",
    phase="before",
    act=_act,
    params=NotFoundParams,
    summary="The service denies that the thing exists. With `_if_newer_than` it does so for young records only.",
    sees="MCP: a result with `isError` and the text `404 Not Found`. "
    "Plain callables: `ToolError`, whose `status` is 404.",
    example="orders.get_order: { errors: { not_found_if_newer_than: 2h } }",
)
