"""A small client of a model, as many projects have one: a request, a reply, and an error for everything else.

Makes no second attempt: who asks again, and when, is the agent's business.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

import httpx

HTTP = httpx.Client(timeout=60, verify=False, trust_env=False)  # noqa: S501 - the address is one of this machine
FIRST_ERROR = 400


class ModelError(Exception):
    """The model gave no reply that is of use. `status` is that of HTTP, `retry_after` in seconds, if there is one."""

    def __init__(self, text: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.status, self.retry_after = status, retry_after


class Reply(NamedTuple):
    """What the model said. `calls` are as the API has them, `finish` is why it stopped."""

    text: str
    calls: list[dict[str, Any]]
    finish: str

    @property
    def message(self) -> dict[str, Any]:
        """The reply as a part of the conversation."""
        calls = {"tool_calls": self.calls} if self.calls else {}
        return {"role": "assistant", "content": self.text, **calls}


def ask(messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None = None) -> Reply:
    """One request. Raises ModelError."""
    body = {"model": "gpt-5-mini", "messages": messages, **({"tools": tools} if tools else {})}
    try:
        response = HTTP.post(f"{os.environ['OPENAI_BASE_URL']}/chat/completions", json=body)
        if response.status_code >= FIRST_ERROR:
            wait = response.headers.get("retry-after")
            text = f"HTTP {response.status_code}: {response.text}"
            raise ModelError(text, response.status_code, None if wait is None else float(wait))
        choice = response.json()["choices"][0]
    except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
        raise ModelError(f"no reply: {type(error).__name__}") from error
    message = choice["message"]
    return Reply(message.get("content") or "", message.get("tool_calls") or [], choice["finish_reason"])


def result(call: dict[str, Any], value: Any) -> dict[str, Any]:
    """What came of a call, as a part of the conversation."""
    return {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(value)}
