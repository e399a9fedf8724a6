"""`permission_denied`: the credentials are good, the right to do this is missing."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


class PermissionParams(Params):
    """Parameters of `permission_denied`."""

    message: str = "403 Forbidden"
    """The text of the error."""


def _act(params: PermissionParams, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("refused", error=params.message, status=403))


KIND = Kind(
    name="permission_denied",
    phase="before",
    act=_act,
    params=PermissionParams,
    summary="The service refuses for want of permission.",
    sees="MCP: a result with `isError` and the text `403 Forbidden`. "
    "Plain callables: `ToolError`, whose `status` is 403.",
    example="payments.issue_refund: { errors: { permission_denied: 0.02 } }",
)
