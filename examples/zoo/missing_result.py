"""Two products are looked up at once. One agent leaves out the result of a call that failed, its twin tells of it.

The bug: a conversation in which a call has no result is no conversation. Providers refuse it, now and ever after.
"""

from __future__ import annotations

import json
from typing import Any

import chat
from failures import FAILED

from squall.models import call, calls, say

ATTEMPTS = 6
REFUSED = "HTTP 400"


def buggy(tools: Any) -> str:
    def results(wishes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found = []
        for wish in wishes:
            try:
                found.append(chat.result(wish, look_up(tools, wish)))
            except FAILED:
                continue
        return found

    return work(tools, results)


def repaired(tools: Any) -> str:
    def results(wishes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found = []
        for wish in wishes:
            try:
                value = look_up(tools, wish)
            except FAILED as error:
                value = {"error": str(error)}
            found.append(chat.result(wish, value))
        return found

    return work(tools, results)


def look_up(tools: Any, wish: dict[str, Any]) -> Any:
    return tools.get_product(**json.loads(wish["function"]["arguments"]))


def work(tools: Any, results: Any) -> str:
    """The loop of any agent."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Which of p1 and p2 are in stock?"}]
    for _ in range(ATTEMPTS):
        try:
            reply = chat.ask(messages, tools.openai())
        except chat.ModelError as error:
            return f"failed: {error}"
        messages.append(reply.message)
        if not reply.calls:
            return reply.text
        messages += results(reply.calls)
    return "failed: no answer"


def says(request: Any) -> Any:
    """The model's part."""
    if request.messages[-1].role == "tool":
        return say("The lamp is.")
    return calls(call("get_product", id="p1"), call("get_product", id="p2"))


def holds(run: Any) -> None:
    for final in run.trace.finals():
        assert REFUSED not in str(final.answer), f"the provider refuses what it is sent: {final.answer}"
