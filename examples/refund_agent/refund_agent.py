"""A support agent for refunds on the OpenAI SDK, and the shop that its tools work on. Neither knows of squall."""

from __future__ import annotations

import json
from typing import Any

import openai

MOST_REQUESTS = 6
SORRY = "I am sorry, I cannot help you with this. A colleague will write to you."
SYSTEM = "You help the customers of a small shop with returns and refunds."


class Shop:
    """Orders, and what was paid back. While `payments_down`, nothing can be."""

    def __init__(self, *, payments_down: bool = False) -> None:
        self.payments_down = payments_down
        self.orders = {"7": {"item": "lamp", "paid": 40.0}, "8": {"item": "sofa", "paid": 900.0}}
        self.refunds: list[tuple[str, float]] = []

    def find_orders(self, item: str) -> list[str]:
        """The numbers of the orders of an item."""
        return [number for number, order in self.orders.items() if order["item"] == item]

    def get_order(self, order: str) -> dict[str, Any]:
        """What was ordered, and what was paid for it."""
        return self.orders[order]

    def refund(self, order: str, amount: float) -> dict[str, Any]:
        """Pays back a part of what was paid, or all of it."""
        if self.payments_down:
            return {"error": "the payment service does not answer"}
        self.refunds.append((order, amount))
        return {"refunded": amount}


def tool(name: str, **types: str) -> dict[str, Any]:
    """A tool as the API wants it to be described."""
    properties = {parameter: {"type": kind} for parameter, kind in types.items()}
    parameters = {"type": "object", "properties": properties, "required": list(types)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS: Any = [
    tool("find_orders", item="string"),
    tool("get_order", order="string"),
    tool("refund", order="string", amount="number"),
]


def help_customer(client: openai.OpenAI, shop: Shop, wish: str) -> str:
    """Asks the model, does what it wants done, and so on until it answers; a few times at most."""
    messages: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": wish}]
    for _ in range(MOST_REQUESTS):
        message = client.chat.completions.create(model="gpt-5-mini", messages=messages, tools=TOOLS).choices[0].message
        if not message.tool_calls:
            return message.content or SORRY
        messages.append(message)
        for use in message.tool_calls:
            if use.type == "function":
                result = call(shop, use.function.name, json.loads(use.function.arguments))
                messages.append({"role": "tool", "tool_call_id": use.id, "content": json.dumps(result)})
    return SORRY


def call(shop: Shop, name: str, arguments: dict[str, Any]) -> Any:
    """Does what the model wants done. The bug among others: what there is not counts as done."""
    function = getattr(shop, name, None)
    return function(**arguments) if function else {}
