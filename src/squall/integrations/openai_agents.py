"""Runs an agent of OpenAI's Agents SDK over the tools of an MCP server: the SDK's own HTTP client, its own deadlines.

What a tool says reaches the model as the SDK passes it on: a refusal in the tool's words, a passed deadline or a broken
connection as the SDK's "An error occurred …". Nothing is sent to OpenAI but what the model itself sends: the SDK's
tracing is off. Knows no world, fault or test; the answer goes into the trace of the run that is going on, if one is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mcp import Client

from squall.runs.current import current

try:
    from agents import Agent, RunConfig, Runner
    from agents.mcp import MCPServer, MCPServerStreamableHttp
    from agents.run import DEFAULT_MAX_TURNS
except ModuleNotFoundError as error:
    if error.name != "agents":
        raise
    raise ModuleNotFoundError(
        'squall.integrations.openai_agents needs openai-agents: pip install "squall[openai-agents]"', name=error.name
    ) from None
except ImportError as error:
    if error.name != "agents":
        raise
    raise ImportError(
        "squall.integrations.openai_agents needs openai-agents, whose module is called agents, but "
        f"{error.path} comes first: rename that one",
        name=error.name,
        path=error.path,
    ) from error

if TYPE_CHECKING:
    from agents import RunResult
    from agents.models.interface import Model
    from mcp.types import CallToolResult, GetPromptResult, ListPromptsResult, RequestParamsMeta, Tool

DEADLINE = 30.0
"""Seconds that the client waits for each reply, unless told otherwise."""


async def run_agent(
    model: Model | str,
    prompt: str,
    *,
    mcp: Any,
    instructions: str | None = None,
    max_turns: int = DEFAULT_MAX_TURNS,
    read_timeout_seconds: float | None = DEADLINE,
) -> RunResult:
    """Run one agent to its end and return the SDK's result: the answer is its `.final_output`.

    `mcp` is a URL (squall's `mcp_url`), which the SDK's own client talks to over streamable HTTP; or what the official
    client connects to: squall's `mcp_server`, any server object. `max_turns` is how often the model may be asked. In a
    test that is no coroutine: `asyncio.run(run_agent(…))`. For an agent of your own, hand it the SDK's servers, or
    `McpTools`.
    """
    server = _server(mcp, read_timeout_seconds)
    agent = Agent(name="agent", instructions=instructions, model=model, mcp_servers=[server])
    await server.connect()  # type: ignore[no-untyped-call]  # the SDK left it without types
    try:
        result = await Runner.run(agent, prompt, max_turns=max_turns, run_config=RunConfig(tracing_disabled=True))
    finally:
        await server.cleanup()  # type: ignore[no-untyped-call]  # the SDK left it without types
    run = current()
    if run is not None and run.recorder is not None:
        run.trace.final(result.final_output)
    return result


def _server(mcp: Any, deadline: float | None) -> MCPServer:
    if isinstance(mcp, str):
        return MCPServerStreamableHttp({"url": str(mcp)}, client_session_timeout_seconds=deadline)
    return McpTools(Client(mcp, read_timeout_seconds=deadline))


class McpTools(MCPServer):
    """The tools behind an official client, for servers that have no URL: `Agent(…, mcp_servers=[McpTools(client)])`.

    As with the SDK's own servers, `connect()` comes first and `cleanup()` last, in one task.
    """

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    @property
    def name(self) -> str:
        """What the SDK's messages call it."""
        return "mcp"

    async def connect(self) -> None:
        """Open the client."""
        await self._client.__aenter__()

    async def cleanup(self) -> None:
        """Close the client."""
        await self._client.__aexit__(None, None, None)

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[Tool]:
        """The tools of all pages, as the server lists them now."""
        page = await self._client.list_tools()
        tools = list(page.tools)
        while page.next_cursor is not None:
            page = await self._client.list_tools(cursor=page.next_cursor)
            tools += page.tools
        return tools

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        """Call a tool. Raises what the client raises; the SDK tells the model of it."""
        return await self._client.call_tool(tool_name, arguments, meta=cast("RequestParamsMeta | None", meta))

    async def list_prompts(self) -> ListPromptsResult:
        """The server's prompts, which no agent asks for by itself."""
        return await self._client.list_prompts()

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> GetPromptResult:
        """One of the server's prompts."""
        return await self._client.get_prompt(name, arguments)
