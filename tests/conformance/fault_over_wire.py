"""What every kind of fault comes to in each phase, whatever wire carries it: the table, and the makers of the wires.

A maker plays one call of a run and tells what its caller saw in the words of `Seen`; the table says what that must be
and which effects the world must hold. To put another wire to the test, add its maker to `WIRES`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import httpx2
import mcp
import mcp_types
from mcp.shared.exceptions import MCPError

from squall import LimitReached, ToolError

WORLD = """\
name: payments
services:
  orders:
    records:
      order: { id: str, status: enum[placed, paid, returned], total: float, tags: list[str], placed_at: datetime }
    seed: { order: [{ id: "1", status: placed, total: 40, tags: [a, b], placed_at: 2025-05-31T23:00:00Z }] }
    operations:
      get_order: { kind: get, record: order }
      list_orders: { kind: list, record: order, filter: [status] }
      update_order: { kind: update, record: order }
  payments:
    records:
      payment: { id: str, order_id: ref[orders.order], amount: float }
    operations:
      pay: { kind: custom, handler: payment_rules.pay }
      pay_slowly: { kind: custom, handler: payment_rules.pay_slowly }
      pay_when_paid: { kind: custom, handler: payment_rules.pay_when_paid }
      list_payments: { kind: list, record: payment, filter: [order_id] }
"""
RULES = '''\
import asyncio


def pay(world, clock, order_id: str, amount: float = 10.0):
    """Pay for an order."""
    return world.payment.insert(order_id=order_id, amount=amount)


async def pay_slowly(world, clock, order_id: str, amount: float = 10.0, takes: float = 2.0):
    """Pay for an order through a bank that takes its time."""
    await asyncio.sleep(takes)
    return world.payment.insert(order_id=order_id, amount=amount)


async def pay_when_paid(world, clock, order_id: str, times: int = 1):
    """Pay for an order as soon as there are so many payments."""
    while len(world.payments) < times:
        await asyncio.sleep(0.02)
    return world.payment.insert(order_id=order_id, amount=-1.0)
'''
PAID = {"id": "1", "order_id": "1", "amount": 10.0}
LATE_BY = 30.0
CLOSED = "Connection closed"
NO_END = "SSE stream ended without a response"  # the official client's words for it over HTTP


class Seen(NamedTuple):
    """What a caller saw: `value`, `refused`, `timeout`, `lost`, `garbled`, `gone` or `hung`, and its text or value."""

    how: str
    said: Any = None


def all_of(error: BaseException) -> list[BaseException]:
    """The exceptions in a group, or the one."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in all_of(each)]
    return [error]


def refused(text: str) -> Seen:
    if text.startswith("Unknown tool"):
        return Seen("gone", text)
    return Seen("timeout" if text == "The request timed out." else "refused", text)


def seen_in_python(error: BaseException) -> Seen:
    if any(isinstance(each, LimitReached) for each in all_of(error)):
        return Seen("hung", error)
    if isinstance(error, ToolError):
        return refused(str(error))
    if isinstance(error, json.JSONDecodeError):
        return Seen("garbled")
    if isinstance(error, TimeoutError):
        return Seen("timeout", str(error))
    if isinstance(error, ConnectionError):
        return Seen("lost", str(error))
    raise error


def seen_over_mcp(error: BaseException) -> Seen:
    if any(isinstance(each, LimitReached) for each in all_of(error)):
        return Seen("hung", error)
    if isinstance(error, RuntimeError) and "structured content" in str(error):
        return Seen("garbled")
    if is_broken_connection(error):
        return Seen("lost", CLOSED)
    assert isinstance(error, MCPError), error
    if error.message == "Session not found":
        return Seen("lost", error.message)
    hows = {mcp_types.CONNECTION_CLOSED: "lost", mcp_types.REQUEST_TIMEOUT: "timeout", mcp_types.INVALID_PARAMS: "gone"}
    return Seen(hows[error.code], CLOSED if error.message == NO_END else error.message)


def is_broken_connection(error: BaseException) -> bool:
    """Whether it is what the official client raises once more on leaving, where its connection was broken."""
    return all(isinstance(each, httpx2.RemoteProtocolError) for each in all_of(error))


def result_of(result: mcp_types.CallToolResult) -> Seen:
    (content,) = result.content
    assert isinstance(content, mcp_types.TextContent)
    if result.is_error:
        return refused(content.text)
    if result.structured_content is None:
        return Seen("garbled")
    value = result.structured_content
    plain = value["result"] if value.keys() == {"result"} else value
    assert json.loads(content.text) == plain, "text and structured content say the same"
    return Seen("value", plain)


def by_callables(run: Any, tool: str, args: Mapping[str, Any], *, deadline: float | None = None) -> Seen:
    """`tools.NAME(...)`, which has no deadline."""
    try:
        return Seen("value", run.tools[tool](**args))
    except BaseException as error:
        return seen_in_python(error)


def by_aio(run: Any, tool: str, args: Mapping[str, Any], *, deadline: float | None = None) -> Seen:
    """`await tools.aio.NAME(...)`, with the deadline that asyncio has."""

    async def agent() -> Any:
        async with asyncio.timeout(deadline):
            return await run.tools.aio[tool](**args)

    try:
        return Seen("value", asyncio.run(agent()))
    except BaseException as error:
        return seen_in_python(error)


def by_client(mode: str, where: str = "mcp_server") -> Callable[..., Seen]:
    """The official client before `run.mcp_server` or `run.mcp_url`, with its own read timeout."""

    def play(run: Any, tool: str, args: Mapping[str, Any], *, deadline: float | None = None) -> Seen:
        seen: list[Seen] = []

        async def agent() -> None:
            async with mcp.Client(getattr(run, where), mode=mode, read_timeout_seconds=deadline) as client:
                try:
                    seen.append(result_of(await client.call_tool(tool, dict(args))))
                except Exception as error:
                    seen.append(seen_over_mcp(error))

        try:
            asyncio.run(agent())
        except BaseException as error:
            return seen[0] if seen and is_broken_connection(error) else seen_over_mcp(error)
        return seen[0]

    return play


def by_server(run: Any, tool: str, args: Mapping[str, Any], *, deadline: float | None = None) -> Seen:
    """`await mcp_server.call_tool(...)`, with the deadline that asyncio has."""

    async def agent() -> Seen:
        async with asyncio.timeout(deadline):
            return result_of(await run.mcp_server.call_tool(tool, args))

    try:
        return asyncio.run(agent())
    except TimeoutError:
        return Seen("timeout")
    except BaseException as error:
        return seen_over_mcp(error)


WIRES: dict[str, Callable[..., Seen]] = {
    "callables": by_callables,
    "aio": by_aio,
    "client": by_client("auto"),
    "legacy": by_client("legacy"),
    "server": by_server,
    "HTTP": by_client("auto", "mcp_url"),
    "HTTP, in a session": by_client("legacy", "mcp_url"),
}
PATIENT = ("callables",)  # wires whose caller cannot give up


class Row(NamedTuple):
    """One kind at one call: its parameters, what the caller sees, and how long a caller without a deadline waits.

    `effects` are those of the phases before, after and late, first as the caller is answered, then `late_by` later.
    """

    kind: str
    seen: Seen
    effects: tuple[tuple[int, int], tuple[int, int], tuple[int, int]] = ((0, 0), (1, 1), (0, 1))
    params: Mapping[str, Any] = {}
    waits: float = 0.0


TIMED_OUT = "The request timed out."
ROWS = (
    Row("timeout", Seen("timeout"), waits=60.0),
    Row("timeout", Seen("timeout"), params={"answer_after": "5s"}, waits=5.0),
    Row("hang", Seen("hung"), waits=3600.0),
    Row("connection_lost", Seen("lost", CLOSED)),
    Row("http_503", Seen("refused", "503 Service Unavailable")),
    Row("http_429", Seen("refused", "429 Too Many Requests. Retry after 30 seconds."), params={"retry_after": 30}),
    Row("not_found", Seen("refused", "404 Not Found")),
    Row("permission_denied", Seen("refused", "403 Forbidden")),
    Row("is_error", Seen("refused", "Try again later."), params={"message": "Try again later."}),
    Row("error_in_200", Seen("value", {"ok": False, "error": "Internal error"})),
    Row("empty_result", Seen("value", {})),
    Row("malformed_json", Seen("garbled")),
    Row("tool_removed", Seen("gone", "Unknown tool: pay")),
    Row("truncated_result", Seen("garbled")),
    Row("wrong_value", Seen("value", {**PAID, "amount": 11.0}), params={"field": "amount"}),
    Row("wrong_value", Seen("value", {**PAID, "amount": "ten"}), params={"field": "amount", "value": "ten"}),
    Row("wrong_value", Seen("value", {**PAID, "amount": None}), params={"field": "amount", "value": None}),
    Row("missing_field", Seen("value", {"id": "1", "order_id": "1"}), params={"field": "amount"}),
    Row("latency", Seen("value", PAID), effects=((1, 1), (1, 1), (0, 1)), params={"seconds": 20}, waits=20.0),
    Row("session_lost", Seen("lost", "Session not found")),
    Row("server_exit", Seen("lost", CLOSED)),
    Row("late_reply", Seen("value", PAID), effects=((1, 1), (1, 1), (0, 1)), waits=60.0),
    Row("progress_only", Seen("timeout"), waits=600.0),
    # the copy came first: the caller hears of the second payment
    Row("duplicate_delivery", Seen("value", PAID), effects=((2, 2), (2, 2), (1, 2))),
)
PHASES = ("before", "after", "late")
