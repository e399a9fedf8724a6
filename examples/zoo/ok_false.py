"""A message is posted. One agent takes every reply for a success, its twin reads what the reply says.

The bug: many services say `{"ok": false, "error": …}` with status 200, and no exception comes of that.
"""

from __future__ import annotations

from typing import Any

from failures import FAILED

TEXT = "The release is out."


def buggy(tools: Any) -> str:
    try:
        tools.post_message(channel="news", text=TEXT)
    except FAILED as error:
        return f"failed: {error}"
    return "posted"


def repaired(tools: Any) -> str:
    try:
        reply = tools.post_message(channel="news", text=TEXT)
    except FAILED as error:
        return f"failed: {error}"
    if reply.get("ok") is False or "id" not in reply:
        return f"failed: {reply.get('error', 'an empty reply')}"
    return "posted"


def holds(run: Any) -> None:
    claims = [final.answer for final in run.trace.finals()]
    assert "posted" not in claims or run.world.messages.count(), "it says that the message is posted, and there is none"
