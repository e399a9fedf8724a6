"""What can go wrong with a call of a tool, as the agents of the zoo sort it."""

from __future__ import annotations

from squall import ToolError

NO_REPLY = (TimeoutError, ConnectionError)
"""Nothing came back: the service may have done it, may do it yet, or never."""
FAILED = (ToolError, *NO_REPLY, ValueError)
"""All that a call may raise; a ValueError is a reply that is no JSON."""
