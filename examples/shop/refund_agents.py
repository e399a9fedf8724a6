"""Two refund agents, plain Python over the official MCP client: one with a bug, and its repaired twin.

They know nothing of squall. `server` may be any MCP server or its URL; put your own agent in their place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import Client, MCPError

ATTEMPTS = 3
REFUNDED = "Your money is on its way."
UNCERTAIN = "I could not confirm the refund. A colleague will look into it."


class ToolFailed(Exception):
    """The shop said no, or did not answer."""


async def hasty_agent(server: Any, order: str) -> str:
    """Tries each step again when it fails. The bug: "no answer" does not mean "not paid"."""
    async with Client(server, read_timeout_seconds=30) as shop:
        try:
            await take_back(shop, order)
            await retrying(lambda: call(shop, "issue_refund", order=order))
        except ToolFailed:
            return UNCERTAIN
        return REFUNDED


async def careful_agent(server: Any, order: str) -> str:
    """Asks before it pays, each time: what is tried again is safe to try again."""

    async def pay_unless_paid() -> None:
        if not (await call(shop, "list_refunds", order=order))["result"]:
            await call(shop, "issue_refund", order=order)

    async with Client(server, read_timeout_seconds=30) as shop:
        try:
            await take_back(shop, order)
            await retrying(pay_unless_paid)
        except ToolFailed:
            return UNCERTAIN
        return REFUNDED


async def take_back(shop: Client, order: str) -> None:
    found = await retrying(lambda: call(shop, "get_order", id=order))
    if found["status"] != "returned":
        await retrying(lambda: call(shop, "create_return", order=order))


async def retrying(step: Callable[[], Awaitable[Any]]) -> Any:
    for attempt in range(1, ATTEMPTS):
        try:
            return await step()
        except ToolFailed:
            await asyncio.sleep(2**attempt)
    return await step()


async def call(shop: Client, tool: str, **arguments: Any) -> Any:
    try:
        reply = await shop.call_tool(tool, arguments)
    except MCPError as error:  # the client's own deadline passed, or the connection broke
        raise ToolFailed(error.message) from error
    if reply.is_error:
        raise ToolFailed(" ".join(block.text for block in reply.content if block.type == "text"))
    return reply.structured_content
