"""The model's part in the tests: replies that were written down once, given in order. No network, no key."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import httpx2
import openai

Reply = dict[str, Any]
NUMBERS = count(1)


def call(name: str, **arguments: Any) -> Reply:
    """The model wants a tool to be called."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return _reply("tool_calls", tool_calls=[{"id": f"call_{next(NUMBERS)}", "type": "function", "function": function}])


def say(text: str, *, finish: str = "stop") -> Reply:
    """The model answers."""
    return _reply(finish, content=text)


def _reply(finish: str, **message: Any) -> Reply:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": None, **message}}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "gpt-5-mini", "choices": [choice]}


def model(*replies: Reply) -> openai.OpenAI:
    """A client whose model gives these replies, one for each request."""
    left = iter(replies)
    transport = httpx2.MockTransport(lambda _request: httpx2.Response(200, json=next(left)))
    return openai.OpenAI(api_key="none", http_client=httpx2.Client(transport=transport))
