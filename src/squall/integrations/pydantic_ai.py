"""Runs a pydantic-ai agent over the tools of an MCP server, through the official client and its real deadlines.

What a tool says reaches the model as pydantic-ai's own MCP toolset would pass it on: refusals, passed deadlines and
broken connections as `ModelRetry`; anything else that the client raises ends the agent. Knows no world, fault or test;
the answer goes into the trace of the run that is going on, if one is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp import Client, MCPError
from pydantic_core import SchemaValidator, core_schema

from squall.runs.current import current

try:
    from pydantic_ai import Agent, ModelRetry, RunContext, ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
except ModuleNotFoundError as error:
    if error.name != "pydantic_ai":
        raise
    raise ModuleNotFoundError(
        'squall.integrations.pydantic_ai needs pydantic-ai: pip install "squall[pydantic-ai]"', name=error.name
    ) from None

if TYPE_CHECKING:
    from mcp.types import CallToolResult, ContentBlock, Tool
    from pydantic_ai import AgentRunResult
    from pydantic_ai.models import Model

DEADLINE = 30.0
"""Seconds that the client waits for each reply, unless told otherwise."""
WRAPPED = "result"
"""Under this key structured content holds a value that is no object."""
_object = SchemaValidator(core_schema.dict_schema(core_schema.str_schema()))  # the server judges what is in it


async def run_agent(
    model: Model | str,
    prompt: str,
    *,
    mcp: Any,
    system_prompt: str = "",
    retries: int | None = None,
    read_timeout_seconds: float | None = DEADLINE,
) -> AgentRunResult[str]:
    """Run one agent to its end and return pydantic-ai's result: the answer is its `.output`.

    `mcp` is what the official client connects to: squall's `mcp_server`, any server object, a URL. `retries` is how
    often pydantic-ai lets the model try a failed tool again (its own default: once). In a test that is no coroutine:
    `asyncio.run(run_agent(…))`. For an agent of your own, hand it `McpTools`.
    """
    failure: Exception | None = None
    async with Client(mcp, read_timeout_seconds=read_timeout_seconds) as client:
        agent = Agent(model, system_prompt=system_prompt or (), retries=retries, toolsets=[McpTools(client)])
        try:
            result = await agent.run(prompt)
        except Exception as error:  # noqa: BLE001 - raised below as it is: in here, the client would wrap it in a group
            failure = error
    if failure is not None:
        raise failure
    run = current()
    if run is not None and run.recorder is not None:
        run.trace.final(result.output)
    return result


class McpTools(AbstractToolset[Any]):
    """The tools behind an official client that is connected: `agent.run(…, toolsets=[McpTools(client)])`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._listed: list[Tool] | None = None

    @property
    def id(self) -> str | None:
        """None: a toolset lives as long as its client, so nothing has to find it again by name."""
        return None

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """The tools as the server listed them when they were first asked for."""
        if self._listed is None:
            self._listed = await self._list()
        return {tool.name: self._offered(tool, ctx) for tool in self._listed}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Call a tool. Raises `ModelRetry`, which pydantic-ai tells the model, where it refuses or does not answer."""
        try:
            reply = await self._client.call_tool(name, tool_args)
        except MCPError as error:
            raise ModelRetry(error.message) from error
        if reply.is_error:
            raise ModelRetry("\n".join(map(_text, reply.content)) or f"{name} failed")
        return _value(reply)

    async def _list(self) -> list[Tool]:
        page = await self._client.list_tools()
        tools = list(page.tools)
        while page.next_cursor is not None:
            page = await self._client.list_tools(cursor=page.next_cursor)
            tools += page.tools
        return tools

    def _offered(self, tool: Tool, ctx: RunContext[Any]) -> ToolsetTool[Any]:
        definition = ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=tool.input_schema,
            return_schema=tool.output_schema,
        )
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=ctx.max_retries, args_validator=_object)


def _value(reply: CallToolResult) -> Any:
    """What the tool returned: its structured content, else its text."""
    structured = reply.structured_content
    if structured is None:
        return "\n".join(map(_text, reply.content))
    return structured[WRAPPED] if structured.keys() == {WRAPPED} else structured


def _text(block: ContentBlock) -> str:
    return block.text if block.type == "text" else block.model_dump_json(by_alias=True, exclude_none=True)
