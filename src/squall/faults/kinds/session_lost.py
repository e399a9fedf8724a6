"""`session_lost`: the server does not know the caller's session any more, and the caller must open a new one."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("session_lost", error="Session not found", status=404))


KIND = Kind(
    name="session_lost",
    phase="before",
    act=_act,
    forgets=True,
    summary="The server has forgotten the session. This call and every later one in it fail, until the client opens a "
    "new one. The world stays as it is.",
    sees="MCP over HTTP: status 404, upon which a client must initialize anew; elsewhere `MCPError` with the code for "
    "an invalid request. A protocol version without sessions (2026-07-28) loses the one call. "
    "Plain callables: `ConnectionError`, and the next call finds a new session.",
    example="orders.get_order: [{ kind: session_lost, nth: 3 }]",
)
