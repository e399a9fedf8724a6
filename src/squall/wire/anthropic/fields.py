"""The names that Anthropic's API takes, stable and beta together: of a request, a message, a block, a tool.

Whatever is not here is refused, as Anthropic refuses it. Knows no rules of what the values have to be.
"""

from __future__ import annotations

from collections.abc import Mapping

MESSAGE = frozenset(("role", "content"))
RESULT = frozenset("type tool_use_id content cache_control".split())

BLOCKS: Mapping[str, frozenset[str]] = {
    "text": frozenset("type text cache_control citations".split()),
    "image": frozenset("type source cache_control transformations".split()),
    "document": frozenset("type source cache_control citations context title".split()),
    "search_result": frozenset("type source content title cache_control citations".split()),
    "thinking": frozenset("type thinking signature".split()),
    "redacted_thinking": frozenset("type data".split()),
    "tool_use": frozenset("type id name input cache_control caller toolset_name".split()),
    "tool_result": RESULT | {"is_error", "toolset_name"},
    "server_tool_use": frozenset("type id name input cache_control caller".split()),
    "web_search_tool_result": RESULT | {"caller"},
    "web_fetch_tool_result": RESULT | {"caller"},
    "code_execution_tool_result": RESULT,
    "bash_code_execution_tool_result": RESULT,
    "text_editor_code_execution_tool_result": RESULT,
    "tool_search_tool_result": RESULT,
    "advisor_tool_result": RESULT,
    "container_upload": frozenset("type file_id cache_control".split()),
    "mcp_tool_use": frozenset("type id name input server_name cache_control".split()),
    "mcp_tool_result": RESULT | {"is_error"},
    "mcp_tool_listing": frozenset("type mcp_server_name tools".split()),
    "compaction": frozenset("type content cache_control encrypted_content signature tool_changes".split()),
    "tool_addition": frozenset("type tool cache_control".split()),
    "tool_removal": frozenset("type tool cache_control".split()),
    "fallback": frozenset("type from to trigger".split()),
}
"""Kinds of blocks in a message's content, and the fields of each."""

IN_RESULTS = frozenset("text image document search_result tool_reference browser_state".split())
"""Kinds of blocks in the content of a tool's result."""

NOT_OF = {
    "user": frozenset("tool_use server_tool_use mcp_tool_use thinking redacted_thinking".split()),
    "assistant": frozenset(("tool_result",)),
    "system": frozenset(BLOCKS) - {"text", "tool_addition", "tool_removal"},
}
"""Kinds of blocks that a role does not have."""

TOOL = frozenset(
    "type name description input_schema strict cache_control allowed_callers defer_loading eager_input_streaming "
    "input_examples".split()
)
"""Fields of a tool that the client defines itself; those of Anthropic's own differ from one to the next."""

CLIENTS = ("bash_", "text_editor_", "computer_2", "memory_")
"""Anthropic's own tools that the client runs, by the beginning of their type; all others run at the server."""

NAMELESS = ("browser_toolset_", "computer_toolset_", "mcp_toolset")
"""Sets of tools, which have no name."""
