"""A customer asks, and the model's answer is sent. When there is none, one agent sends something, its twin nothing.

The bug: an outage, an empty answer and half an answer all end as a text for the customer, and as a success.
"""

from __future__ import annotations

from typing import Any

import chat
from failures import FAILED

QUESTION = [{"role": "user", "content": "When does my parcel come?"}]
ANSWER = "It comes on Tuesday."


def buggy(tools: Any) -> str:
    try:
        text = chat.ask(QUESTION).text
    except chat.ModelError:
        text = ""
    return send(tools, text or "Thank you for your message!")


def repaired(tools: Any) -> str:
    try:
        reply = chat.ask(QUESTION)
    except chat.ModelError as error:
        return f"failed: {error}"
    if reply.finish != "stop" or not reply.text:
        return f"failed: no whole answer ({reply.finish})"
    return send(tools, reply.text)


def send(tools: Any, text: str) -> str:
    try:
        tools.post_message(channel="customer 7", text=text)
    except FAILED as error:
        return f"unclear: {error}"
    return "answered"


def says(_request: Any) -> Any:
    """The model's part."""
    return ANSWER


def holds(run: Any) -> None:
    for message in run.world.messages:
        assert message.text == ANSWER, f"the model never said {message.text!r}"
