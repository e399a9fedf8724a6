"""`is_error`: the tool itself reports that it failed, in its own words."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


class IsErrorParams(Params):
    """Parameters of `is_error`."""

    message: str = "The operation failed."
    """The text of the error."""


def _act(params: IsErrorParams, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("refused", error=params.message))


KIND = Kind(
    name="is_error",
    phase="before",
    act=_act,
    params=IsErrorParams,
    summary="The tool reports a failure of its own.",
    sees="MCP: a result with `isError` and the text. Plain callables: `ToolError`, whose `status` is None.",
    example='orders.create_return: { errors: { is_error: { probability: 0.1, message: "Try again later." } } }',
)
