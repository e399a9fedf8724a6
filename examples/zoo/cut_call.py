"""The model writes a document. One agent repairs a call that broke off, and runs it; its twin reads why it broke off.

The bug: the reply ended at its limit of tokens, and says so. Brackets that are closed by force make JSON of it, and a
document of which the end is missing.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import chat
from failures import FAILED

from squall.models import call, say

ATTEMPTS = 6
TEXT = "One two three four five six seven eight."
ENDS = ("", '"', '"}', "}")


def buggy(tools: Any) -> str:
    return work(tools, closed_by_force)


def repaired(tools: Any) -> str:
    return work(tools, as_it_came)


def closed_by_force(_finish: str, text: str) -> dict[str, Any]:
    for end in ENDS:
        with suppress(ValueError):
            arguments: dict[str, Any] = json.loads(text + end)
            return arguments
    raise ValueError("no JSON")


def as_it_came(finish: str, text: str) -> dict[str, Any]:
    if finish == "length":
        raise ValueError("your reply broke off at its limit of tokens, and nothing was run; send smaller pieces")
    arguments: dict[str, Any] = json.loads(text)
    return arguments


def work(tools: Any, read: Any) -> str:
    """The loop of any agent. What `read` refuses is told to the model, and not run."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Write into a.md: {TEXT}"}]
    for _ in range(ATTEMPTS):
        try:
            reply = chat.ask(messages, tools.openai())
        except chat.ModelError as error:
            return f"failed: {error}"
        messages.append(reply.message)
        if not reply.calls:
            return reply.text
        for wish in reply.calls:
            try:
                value = tools.write_document(**read(reply.finish, wish["function"]["arguments"]))
            except FAILED as error:
                value = {"error": str(error)}
            messages.append(chat.result(wish, value))
    return "failed: no answer"


def says(request: Any) -> Any:
    """The model's part: it writes until that was done, and then it says so."""
    last = request.messages[-1]
    if last.role == "tool" and '"id"' in last.text:
        return say("Written.")
    return call("write_document", path="a.md", text=TEXT)


def holds(run: Any) -> None:
    for document in run.world.documents:
        assert document.text == TEXT, f"a document ends in the middle: {document.text!r}"
