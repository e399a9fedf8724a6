"""Two agents that take a payment and refund what is sold out: one with a bug, and its repaired twin.

They differ in one thing, the idempotency keys that they send. They know nothing of squall; `server` may be any MCP
server or its URL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from mcp import Client, MCPError

ATTEMPTS = 5
SETTLED = "Paid, and refunded what we do not have."
UNCERTAIN = "I could not confirm the payment. A colleague will look into it."

KeyOf = Callable[[str], str]
"""The idempotency key for one try of what is meant to happen once."""


@dataclass(frozen=True)
class Basket:
    """An order: its items with their prices in cents, and which of them are sold out."""

    order: str
    prices: dict[str, int]
    sold_out: tuple[str, ...]


class ToolFailed(Exception):
    """The service said no, or did not answer."""


async def fresh_key_agent(server: Any, basket: Basket) -> str:
    """Sends a key with each request, as the service asks. The bug: a new one for each try says that each is meant."""
    return await settle(server, basket, lambda intention: f"{intention}-{uuid4()}")


async def steady_key_agent(server: Any, basket: Basket) -> str:
    """One key for each intention, made of what is to happen: the same after a lost reply, and after a restart too."""
    return await settle(server, basket, lambda intention: intention)


async def settle(server: Any, basket: Basket, key_of: KeyOf) -> str:
    async with Client(server, read_timeout_seconds=30) as payments:

        async def create(tool: str, intention: str, **arguments: Any) -> Any:
            return await retrying(lambda: call(payments, tool, **arguments, idempotency_key=key_of(intention)))

        try:
            total = sum(basket.prices.values())
            charge = await create("create_charge", f"{basket.order}-charge", order=basket.order, amount=total)
            for item in basket.sold_out:
                await create(
                    "create_refund",
                    f"{basket.order}-refund-{item}",
                    charge=charge["id"],
                    item=item,
                    amount=basket.prices[item],
                )
        except ToolFailed:
            return UNCERTAIN
        return SETTLED


async def retrying(step: Callable[[], Awaitable[Any]]) -> Any:
    for attempt in range(1, ATTEMPTS):
        try:
            return await step()
        except ToolFailed:
            await asyncio.sleep(2**attempt)
    return await step()


async def call(payments: Client, tool: str, **arguments: Any) -> Any:
    try:
        reply = await payments.call_tool(tool, arguments)
    except MCPError as error:  # the client's own deadline passed, or the connection broke
        raise ToolFailed(error.message) from error
    if reply.is_error:
        raise ToolFailed(" ".join(block.text for block in reply.content if block.type == "text"))
    return reply.structured_content
