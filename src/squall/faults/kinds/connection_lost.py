"""`connection_lost`: the connection breaks while the caller waits for the reply."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("lost", error="Connection closed"))


KIND = Kind(
    name="connection_lost",
    phase="after",
    act=_act,
    summary="The connection breaks before the reply arrives. This call fails, the session goes on.",
    sees="MCP: `MCPError` with the code for a closed connection. Plain callables: `ConnectionError`.",
    example="payments.issue_refund: { errors: { connection_lost: 0.05 } }",
)
