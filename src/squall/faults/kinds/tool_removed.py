"""`tool_removed`: the tool is gone from the server, for the rest of the run."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, target: Target) -> Action:
    return Action(reply=Outcome("unknown_tool", error=f"Unknown tool: {target.tool}"), remove=True)


KIND = Kind(
    name="tool_removed",
    phase="before",
    act=_act,
    summary="The tool disappears: this call and all later ones find no such tool, and the server lists it no more.",
    sees="MCP: the protocol error for an unknown tool (`MCPError`). Plain callables: `ToolError`, `Unknown tool: …`.",
    example="orders.create_return: [{ kind: tool_removed, nth: 2 }]",
)
