"""`server_exit`: the server ends in the middle of a call, and all of its sessions with it."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("exited", error="Connection closed"))


KIND = Kind(
    name="server_exit",
    phase="after",
    act=_act,
    summary="The server exits while it works on the call. Every session with it is over, and what else was under way "
    "is never answered; a client must connect anew. The world stays as it is.",
    sees="MCP: the connection is closed without a reply, for all clients. `squall serve` ends with exit status 1; in a "
    "test the server is there again at once, without its sessions. In process, a protocol version without sessions "
    "(2026-07-28) loses the one call. Plain callables: `ConnectionError`.",
    example="payments.issue_refund: [{ kind: server_exit, nth: 1 }]",
)
