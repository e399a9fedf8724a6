"""The official SDK's server object over one run's interposer: `mcp.Client(server)` connects to it in process.

Puts outcomes into the protocol's words, whatever transport carries them.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

from squall.call import Outcome
from squall.errors import LimitReached
from squall.interpose import Interposer
from squall.wire.mcp.caller import Context, McpCaller, in_process
from squall.wire.mcp.sessions import NOT_FOUND, Sessions

WRAPPED = "result"  # structured content must be an object, so any other value goes under this key


class McpServer(Server[Any]):
    """A server with one tool per operation of the world. `call_tool(name, arguments)` asks it without a client."""

    def __init__(self, name: str, interposer: Interposer, operations: Mapping[str, Any], *, version: str = "") -> None:
        self._changes = InMemorySubscriptionBus()
        super().__init__(
            name,
            version=version,
            on_list_tools=self._on_list_tools,
            on_call_tool=self._on_call_tool,
            on_subscriptions_listen=ListenHandler(self._changes),
            get_tool_input_schema=self._input_schema,
        )
        self._interposer, self._operations = interposer, operations
        self._tools: dict[str, types.Tool] = {}
        self.sessions = Sessions()
        self.middleware.append(self.sessions.watch)

    @property
    def may_forget_sessions(self) -> bool:
        """Whether the weather may have the server forget a session, so that the reply to a request is about that."""
        return any(bound.kind.forgets for bound in self._interposer.plan.bound.values())

    async def list_tools(self) -> list[types.Tool]:
        """The tools that a client would be told of now."""
        return [self._tool(name) for name in self._interposer.visible()]

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> types.CallToolResult:
        """Call a tool as a client's request would. Raises `MCPError` where the protocol itself fails."""
        return self._result(name, await self._interposer.acall(name, arguments or {}))

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *args: Any, **kwargs: Any
    ) -> InitializationOptions:
        """The SDK's, and say that the list of tools may change."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, *args, **kwargs)

    async def run(self, *args: Any, **kwargs: Any) -> None:
        """Serve one client over a pair of streams, until it leaves or the server exits."""
        with anyio.CancelScope() as scope, self.sessions.ending_by(scope.cancel):
            await super().run(*args, **kwargs)

    async def _on_list_tools(
        self, _context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        cursor = params.cursor if params is not None else None
        size, start = (self._interposer.page_size(), 0) if cursor is None else place_of(cursor)
        tools = await self.list_tools()
        end = start + size
        following = cursor_of(size, end) if size and end < len(tools) else None
        return types.ListToolsResult(tools=tools[start:end] if size else tools, next_cursor=following)

    async def _on_call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if self._interposer.closed and not in_process(context):
            await anyio.sleep_forever()  # the server has exited, and nobody is answered any more
        name, arguments, removed = params.name, params.arguments or {}, len(self._interposer.removed)
        caller = McpCaller(context, lambda outcome: self._result(name, outcome))
        try:
            outcome = await self._interposer.acall(name, arguments, caller=caller)
        except LimitReached:
            if not in_process(context):  # it is served in tasks of our own
                await self._interposer.hold()
            raise
        if len(self._interposer.removed) > removed:
            await self.sessions.tell_that_tools_changed()
            await self._changes.publish(ToolsListChanged())
        if outcome.form == "session_lost":
            self.sessions.forget(context)
        elif outcome.form == "exited":
            self.sessions.exit()
            if not in_process(context):
                await anyio.sleep_forever()  # as above
        return self._result(name, outcome)

    def _input_schema(self, name: str) -> dict[str, Any] | None:
        """What the SDK wants to know of a tool at each request over HTTP; it would list all tools to find it."""
        return self._tool(name).input_schema if name in self._interposer.visible() else None

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
        if outcome.form == "session_lost":
            raise MCPError(code=types.INVALID_REQUEST, message=NOT_FOUND)
        if outcome.form in ("lost", "exited"):
            raise MCPError(code=types.CONNECTION_CLOSED, message=outcome.error or "Connection closed")
        if outcome.form == "unknown_tool":
            raise MCPError(code=types.INVALID_PARAMS, message=outcome.error or f"Unknown tool: {name}")
        return types.CallToolResult(content=[types.TextContent(text=outcome.error or "")], is_error=True)


def cursor_of(size: int, start: int) -> str:
    """Where a list of tools goes on, as clients get it: they must not read anything into it."""
    return b64encode(f"{size}:{start}".encode()).decode()


def place_of(cursor: str) -> tuple[int, int]:
    """The page size and the start that a cursor stands for. Raises `MCPError` for one that is none of ours."""
    try:
        size, start = map(int, b64decode(cursor, validate=True).decode().split(":"))
    except ValueError:
        size, start = 0, 0
    if size < 1 or start < 1:
        raise MCPError(code=types.INVALID_PARAMS, message="Invalid cursor")
    return size, start


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
