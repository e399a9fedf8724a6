"""MCP: the calls of tools that an agent makes through the official SDK's client session. Imports nothing of it.

Tools of the run's own world record themselves, whichever way they are reached, so that these are left to them; and its
server records the calls of tools that it does not have.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType
from typing import Any

from squall.capture.current import Capture, current
from squall.capture.patching import Patches
from squall.capture.tool_calling import ToolCalling

WHERE = "a call of a tool over MCP"


def patch(patches: Patches, module: ModuleType) -> None:
    """See the calls of every session, until the patches are undone."""
    original = module.ClientSession.call_tool

    @wraps(original)
    async def call_tool(self: Any, name: str, arguments: Any = None, *args: Any, **kwargs: Any) -> Any:
        capture = current()
        if capture is None or name in capture.tools or _asks_own_server(self, capture):
            return await original(self, name, arguments, *args, **kwargs)
        call: ToolCalling | None = capture.guard(WHERE, _begin, capture, name, arguments, kwargs)
        try:
            result = await original(self, name, arguments, *args, **kwargs)
        except BaseException as error:
            if call is not None:
                capture.guard(WHERE, call.raised, error)
            raise
        if call is not None:
            capture.guard(WHERE, _ended, call, result)
        return result

    patches.replace(module.ClientSession, "call_tool", call_tool)


def _asks_own_server(session: Any, capture: Capture) -> bool:
    told = getattr(session, "server_info", None)
    return told is not None and (told.name, told.version) == capture.server


def _begin(capture: Capture, name: str, arguments: Any, options: dict[str, Any]) -> ToolCalling | None:
    if options.get("request_state") is not None or options.get("input_responses") is not None:
        return None  # another round of a call that has begun
    return ToolCalling(capture, name, f"mcp.{name}", arguments or {})


def _ended(call: ToolCalling, result: Any) -> None:
    content = getattr(result, "content", None)
    if content is None:  # the server asks back before it answers
        call.returned(None)
        return
    text = "\n".join(part.text for part in content if getattr(part, "type", "") == "text")
    structured = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    if getattr(result, "is_error", None) or getattr(result, "isError", None):
        call.refused(text or "error", structured)
    else:
        call.returned(structured if structured is not None else text)
