"""The model asks for the invoices of a customer. One agent reads broken arguments as none, its twin gives them back.

The bug: `{}` in place of arguments that are no JSON. Without a filter the tool lists the invoices of all customers.
"""

from __future__ import annotations

import json
from typing import Any

import chat
from failures import FAILED

from squall.models import call, say

ATTEMPTS = 6
CUSTOMER = "c7"


def buggy(tools: Any) -> str:
    def read(text: str) -> dict[str, Any]:
        try:
            arguments: dict[str, Any] = json.loads(text)
        except ValueError:
            return {}
        return arguments

    return work(tools, read)


def repaired(tools: Any) -> str:
    return work(tools, json.loads)


def work(tools: Any, read: Any) -> str:
    """The loop of any agent. What `read` cannot read is told to the model, and not run."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"What does customer {CUSTOMER} owe?"}]
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
                value = tools.list_invoices(**read(wish["function"]["arguments"]))
            except FAILED as error:
                value = {"error": str(error)}
            messages.append(chat.result(wish, value))
    return "failed: no answer"


def says(request: Any) -> Any:
    """The model's part: it calls until there is a result, and then it answers."""
    last = request.messages[-1]
    if last.role == "tool" and "error" not in last.text:
        return say("30 euros.")
    return call("list_invoices", customer=CUSTOMER)


def holds(run: Any) -> None:
    for made in run.trace.calls_to("list_invoices"):
        assert made.args == {"customer": CUSTOMER}, f"it asked for invoices of others: {made.args}"
