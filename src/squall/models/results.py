"""Results of tools, and whether one of them tells of a failure.

Only Anthropic's requests mark a failure; elsewhere it is recognised by its structure, then by the texts that agents'
frameworks put in the place of a result. Text that merely begins like an error is a result as any other.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from squall.call import Message

FRAMEWORKS = re.compile(
    r"""\s*An\ error\ occurred\ while\ running\ the\ tool      # openai-agents
    |\s*Error\ executing\ tool\                                # MCP servers
    |\s*Error\ invoking\ tool\                                 # langgraph
    |.*Please\ fix\ (?:your\ mistakes|the\ error\ and\ try)    # langgraph
    |.*Fix\ the\ errors\ and\ try\ again                       # pydantic-ai
    """,
    re.VERBOSE | re.DOTALL,
)
LONGEST = 20_000
"""Characters: a longer text is no framework's sentence."""


class Result(msgspec.Struct, frozen=True):
    """What came back for one call: the tool's name (empty where nobody called it), and the message."""

    tool: str
    message: Message


def json_of(text: str) -> Any:
    """The value in a text of JSON; raises ValueError where it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def failed(message: Message) -> bool:
    """Whether a tool's result tells of a failure.

    It does if it is marked so; if it is a JSON object with `isError` or `is_error` true, with `ok` or `success`
    false, or with an `error` in it; or if it is a framework's text for a tool that raised.
    """
    if message.failed:
        return True
    text = message.text.lstrip()
    if text.startswith("{"):
        try:
            found = json_of(text)
        except ValueError:
            return False
        told = (found.get("isError") is True, found.get("is_error") is True, bool(found.get("error")))
        return any(told) or found.get("ok") is False or found.get("success") is False
    return len(text) <= LONGEST and FRAMEWORKS.match(text) is not None
