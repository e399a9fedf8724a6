"""The official SDK's server object over one run's interposer: `mcp.Client(server)` connects to it in process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from squall.call import Outcome
from squall.errors import LimitReached
from squall.interpose import Interposer

WRAPPED = "result"  # structured content must be an object, so any other value goes under this key


class McpServer(Server[Any]):
    """A server with one tool per operation of the world. `call_tool(name, arguments)` asks it without a client."""

    def __init__(self, name: str, interposer: Interposer, operations: Mapping[str, Any]) -> None:
        super().__init__(name, on_list_tools=self._on_list_tools, on_call_tool=self._on_call_tool)
        self._interposer, self._operations = interposer, operations
        self._tools: dict[str, types.Tool] = {}

    async def list_tools(self) -> list[types.Tool]:
        """The tools that a client would be told of now."""
        return [self._tool(name) for name in self._interposer.visible()]

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> types.CallToolResult:
        """Call a tool as a client's request would. Raises `MCPError` where the protocol itself fails."""
        return self._result(name, await self._interposer.acall(name, arguments or {}))

    async def _on_list_tools(self, _context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=await self.list_tools())

    async def _on_call_tool(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            return await self.call_tool(params.name, params.arguments)
        except LimitReached:
            if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:  # spoken over streams, in tasks of our own
                await self._interposer.hold()
            raise

    def _tool(self, name: str) -> types.Tool:
        if name not in self._tools:
            operation = self._operations[name]
            self._tools[name] = types.Tool(
                name=name,
                description=operation.description,
                input_schema=deepcopy(operation.input_schema),
                output_schema=output_schema(operation.output_schema),
                annotations=types.ToolAnnotations(
                    read_only_hint=operation.access == "read",
                    destructive_hint=operation.destructive,
                    idempotent_hint=operation.idempotent,
                    open_world_hint=False,
                ),
            )
        return self._tools[name]

    def _result(self, name: str, outcome: Outcome) -> types.CallToolResult:
        if outcome.form == "value":
            content, structured = spoken(outcome.value), structured_content(outcome.value)
            return types.CallToolResult(content=[content], structured_content=structured)
        if outcome.form == "text":
            return types.CallToolResult(content=[types.TextContent(text=outcome.value)])
        if outcome.form == "lost":
            raise MCPError(code=types.CONNECTION_CLOSED, message=outcome.error or "Connection closed")
        if outcome.form == "unknown_tool":
            raise MCPError(code=types.INVALID_PARAMS, message=outcome.error or f"Unknown tool: {name}")
        return types.CallToolResult(content=[types.TextContent(text=outcome.error or "")], is_error=True)


def spoken(value: Any) -> types.TextContent:
    """A value as text: a string as it is, anything else as JSON."""
    return types.TextContent(text=value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def structured_content(value: Any) -> dict[str, Any]:
    """A value as the object that structured content must be."""
    return value if isinstance(value, dict) else {WRAPPED: value}


def output_schema(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """The schema of structured content: which fields there are, and no demand on any.

    A fault may leave a field out or give it a value of any type, and the official client would refuse such a reply.
    """
    if schema is not None and schema.get("type") == "object":
        return {"type": "object", **_lenient(schema)}
    return {"type": "object", "properties": {WRAPPED: _lenient(schema or {})}}


def _lenient(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The names and the words of a schema, at every level, without types and conditions."""
    kept: dict[str, Any] = {key: schema[key] for key in ("title", "description") if key in schema}
    if "properties" in schema:
        kept["properties"] = {name: _lenient(field) for name, field in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        kept["items"] = _lenient(schema["items"])
    return kept
