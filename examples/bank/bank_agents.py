"""Two agents that carry out transfers, several at once: one with a bug, and its repaired twin.

Both leave a reserve in the account that pays, which the bank knows nothing of. They know nothing of squall; `server`
may be any MCP server or its URL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from mcp import Client, MCPError

ATTEMPTS = 5
RESERVE = 10_000
DONE, DECLINED, UNCERTAIN = "done", "declined", "uncertain"


@dataclass(frozen=True)
class Order:
    """A transfer that somebody wants: cents, and a name of its own, which is the same however often it is tried."""

    idempotency_key: str
    source: str
    target: str
    amount: int


class Declined(Exception):
    """There would be less than the reserve left."""


class ToolFailed(Exception):
    """The bank said no, or did not answer."""


class Conflict(ToolFailed):
    """The account has changed since it was read; nothing was done."""


async def two_step_agent(server: Any, orders: list[Order]) -> list[str]:
    """Takes from one account, then gives to the other, and tries each again from a fresh look at the account.

    After a conflict that is right. The bug: after a lost reply it is wrong, for the money has moved already. And
    between the two steps the money is nowhere; there it stays if the second one fails for good.
    """

    async def carry_out(bank: Client, order: Order) -> None:
        await retrying(lambda: take(bank, order))
        await retrying(lambda: give(bank, order))

    return await all_at_once(server, orders, carry_out)


async def one_step_agent(server: Any, orders: list[Order]) -> list[str]:
    """Asks for each transfer in one call. Its key makes it safe to repeat; a conflict needs a fresh look."""

    async def carry_out(bank: Client, order: Order) -> None:
        account = await retrying(lambda: look(bank, order))

        async def transfer() -> None:
            nonlocal account
            try:
                await call(bank, "transfer", **asdict(order), version=account["version"])
            except Conflict:
                account = await look(bank, order)
                raise

        await retrying(transfer)

    return await all_at_once(server, orders, carry_out)


async def all_at_once(
    server: Any, orders: list[Order], carry_out: Callable[[Client, Order], Awaitable[None]]
) -> list[str]:
    async def outcome(order: Order) -> str:
        try:
            await carry_out(bank, order)
        except Declined:
            return DECLINED
        except ToolFailed:
            return UNCERTAIN
        return DONE

    async with Client(server, read_timeout_seconds=30) as bank:
        return await asyncio.gather(*map(outcome, orders))


async def look(bank: Client, order: Order) -> Any:
    """The account that pays, if it can spare the money."""
    account = await call(bank, "get_account", id=order.source)
    if account["balance"] - order.amount < RESERVE:
        raise Declined
    return account


async def take(bank: Client, order: Order) -> None:
    account = await look(bank, order)
    balance = account["balance"] - order.amount
    await call(bank, "update_account", id=order.source, balance=balance, version=account["version"])


async def give(bank: Client, order: Order) -> None:
    account = await call(bank, "get_account", id=order.target)
    balance = account["balance"] + order.amount
    await call(bank, "update_account", id=order.target, balance=balance, version=account["version"])


async def retrying(step: Callable[[], Awaitable[Any]]) -> Any:
    for attempt in range(1, ATTEMPTS):
        try:
            return await step()
        except ToolFailed:
            await asyncio.sleep(2**attempt)
    return await step()


async def call(bank: Client, tool: str, **arguments: Any) -> Any:
    try:
        reply = await bank.call_tool(tool, arguments)
    except MCPError as error:  # the client's own deadline passed, or the connection broke
        raise ToolFailed(error.message) from error
    if reply.is_error:
        text = " ".join(block.text for block in reply.content if block.type == "text")
        raise (Conflict if "changed in the meantime" in text else ToolFailed)(text)
    return reply.structured_content
