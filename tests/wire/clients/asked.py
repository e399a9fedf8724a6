"""What the tests of this room ask, and how clients of each kind ask it."""

from __future__ import annotations

from typing import Any

MESSAGES: list[Any] = [{"role": "user", "content": "Is anybody there?"}]
ANSWER = "Here I am."
BODY = {"model": "gpt-4o", "messages": MESSAGES}
OPENAI, ANTHROPIC = "https://api.openai.com", "https://api.anthropic.com"
CHAT = f"{OPENAI}/v1/chat/completions"
DOWN = {"target": "model.chat", "kind": "http_503", "first": 1}
SILENT = {"target": "model.chat", "kind": "timeout", "first": 1}


def asks_openai(client: Any) -> Any:
    """The answer to a question; awaitable where the client is async."""
    return client.chat.completions.create(model="gpt-4o", messages=MESSAGES)


def asks_anthropic(client: Any) -> Any:
    """The same of Anthropic."""
    return client.messages.create(model="claude", max_tokens=50, messages=MESSAGES)


def said_by_openai(answer: Any) -> Any:
    """What the model said."""
    return answer.choices[0].message.content


def said_by_anthropic(answer: Any) -> Any:
    """The same of Anthropic."""
    return answer.content[0].text
