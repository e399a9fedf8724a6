"""The tool wire as the official MCP SDK speaks it. Imported only when somebody asks for it: the SDK takes 0.8 s."""

from squall.wire.mcp.server import McpServer

__all__ = ["McpServer"]
