"""A world of services as deep as real ones, and a story that looks into every corner of it.

Pages, nested rows, filters, idempotency keys, versions, states, lists that lag behind, access tokens and events: what
an agent sees of them must not depend on the wire.
"""

from __future__ import annotations

import asyncio
from typing import Any

from tests.conformance.clients import Client
from tests.conformance.fault_over_wire import Seen

WORLD = """\
name: store
services:
  store:
    records:
      order:
        fields:
          id: str
          customer: str
          status: enum[placed, shipped, delivered, cancelled]
          total: decimal[0..]
          placed_at: datetime
          version: int
        transitions: { status: { placed: [shipped, cancelled], shipped: [delivered] } }
        version: version
        emits: { status: { delivered: order_delivered } }
      line_item: { order: "ref[store.order]", sku: str, quantity: "int[1..]" }
      notice: { event: str, about: str }
    seed:
      order:
        - { id: "7", customer: Ada Berg, status: placed, total: 40, placed_at: "2025-05-20T10:00:00Z" }
        - { id: "8", customer: Bo Lang, status: shipped, total: "7.50", placed_at: "2025-05-21T10:00:00Z" }
        - { id: "9", customer: Cy Adler, status: delivered, total: 120, placed_at: "2025-05-22T10:00:00Z" }
      line_item: [{ order: "7", sku: LAMP, quantity: 1 }, { order: "7", sku: BULB, quantity: 2 }]
    listens: { order_placed: store_rules.notice, order_delivered: store_rules.notice }
    operations:
      get_order: { kind: get, record: order, include: [line_items] }
      list_orders:
        kind: list
        record: order
        filter: [status, status.in, total.gte, total.lt, customer.contains]
        sort: [placed_at, -total]
        include: [line_items]
        page_size: 2
      search_orders: { kind: list, record: order, filter: [customer.contains], lag: 1h }
      find_orders: { kind: list, record: order, filter: [customer.contains], lag: 1ms }
      create_order:
        kind: create
        record: order
        required: [customer]
        include: [line_items]
        idempotency_key: { field: request_id, expires: 24h }
        emits: order_placed
      update_order: { kind: update, record: order }
  vault:
    auth: { token: tok_first, expires: 1h, refresh: renew_token }
    records: { secret: { text: str } }
    seed: { secret: [{ text: open sesame }] }
    operations: { get_secret: { kind: get, record: secret } }
  door:
    auth: { token: tok_brief, expires: 1ms, refresh: renew_pass, argument: pass }
    records: { visit: { who: str } }
    operations: { enter: { kind: create, record: visit, required: [who] } }
"""
RULES = '''\
def notice(world, clock, event):
    """Write down what happened."""
    world.notice.insert(event=event.name, about=event.data["id"])
'''

ORDER = {
    "customer": "Di Koch",
    "status": "placed",
    "total": "12.30",
    "line_items": [{"sku": "MUG", "quantity": 2}, {"sku": "TEA", "quantity": 1}],
    "request_id": "r-1",
}
A_WHILE = 0.02  # seconds: longer than what passes away in this world does


class Teller:
    """Makes calls, and keeps what was seen."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.seen: list[Seen] = []

    async def __call__(self, tool: str, **args: Any) -> Any:
        """The value that a call gives, None where it gives none."""
        seen = await self._client.call(tool, args)
        self.seen.append(seen)
        return seen.said if seen.how == "value" else None


async def whole_story(client: Client) -> list[Seen]:
    """All chapters, one after another."""
    call = Teller(client)
    for chapter in (pages, rows_in_rows, keys, versions_and_states, lags, tokens):
        await chapter(call)
    return call.seen


async def pages(call: Teller) -> None:
    query = {"total_gte": "5", "sort": "-total"}
    page = await call("list_orders", **query)
    await call("list_orders", **query, cursor=page["next_cursor"])
    await call("list_orders", sort="placed_at", cursor=page["next_cursor"])
    await call("list_orders", **query, cursor="x")
    await call("list_orders", sort="total")
    await call("list_orders", status_in=["placed", "shipped"], total_lt=10)
    await call("list_orders", customer_contains="ADLER")


async def rows_in_rows(call: Teller) -> None:
    await call("get_order", id="7")
    lines = [{"sku": "MUG", "quantity": 1}, {"sku": "TEA", "quantity": 0}]
    await call("create_order", customer="Ed Nagy", line_items=lines)
    await call("create_order", customer="Ed Nagy", line_items=[])


async def keys(call: Teller) -> None:
    """A reply may be lost here: the agent tries again."""
    for _ in range(2):
        await call("create_order", **ORDER)
    await call("create_order", **{**ORDER, "total": "99"})
    await call("create_order", **{**ORDER, "request_id": "r-2"})


async def versions_and_states(call: Teller) -> None:
    await call("update_order", id="7", status="delivered", version=1)
    await call("update_order", id="7", status="shipped")
    await call("update_order", id="7", status="shipped", version=1)
    await call("update_order", id="7", total="41", version=1)
    await call("update_order", id="7", status="delivered", version=2)
    await call("update_order", id="77", status="delivered", version=1)


async def lags(call: Teller) -> None:
    await call("create_order", customer="Flo Kaya")
    await call("search_orders", customer_contains="kaya")
    await asyncio.sleep(A_WHILE)
    await call("find_orders", customer_contains="kaya")
    await call("search_orders", customer_contains="kaya")


async def tokens(call: Teller) -> None:
    await call("get_secret", id="1")
    await call("get_secret", id="1", token="tok_frist")
    await call("get_secret", id="1", token="tok_first")
    await call("renew_token", token="tok_frist")
    renewed = await call("renew_token", token="tok_first")
    await call("get_secret", id="1", token=renewed["token"] if renewed else "")
    await asyncio.sleep(A_WHILE)
    await call("enter", who="Ada", **{"pass": "tok_brief"})
