"""`error_in_200`: a reply that counts as a success on the wire and says inside that it is none."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


class ErrorIn200Params(Params):
    """Parameters of `error_in_200`."""

    message: str = "Internal error"
    """The text under `error`."""


def _act(params: ErrorIn200Params, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("value", value={"ok": False, "error": params.message}))


KIND = Kind(
    name="error_in_200",
    phase="before",
    act=_act,
    params=ErrorIn200Params,
    summary="A successful reply whose body says that nothing was done.",
    sees='MCP and plain callables: an ordinary result, `{"ok": false, "error": "Internal error"}`, and no sign '
    "of an error around it.",
    example="payments.issue_refund: { errors: { error_in_200: 0.05 } }",
)
