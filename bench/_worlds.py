"""World files of any size, written under build/bench: customers with orders, five each. Knows no measurement."""

from __future__ import annotations

from pathlib import Path

from _table import MADE

TEXT = """\
name: size{rows}
services:
  customers:
    records:
      customer: {{ id: str, name: str, email: str(email), city: str }}
    seed: {{ count: {customers} }}
    operations:
      get_customer: {{ kind: get, record: customer }}
  orders:
    records:
      order:
        id: str
        customer: ref[customers.customer]
        status: enum[placed, shipped, delivered, returned]
        total: float[5..500]
        placed_at: datetime[-20d..-1d]
    seed: {{ count: {rows} }}
    operations:
      get_order: {{ kind: get, record: order }}
      list_orders: {{ kind: list, record: order, filter: [customer, status] }}
      create_order: {{ kind: create, record: order }}
"""


def world_of(rows: int) -> Path:
    """A world with so many orders."""
    path = MADE / "worlds" / f"size{rows}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT.format(rows=rows, customers=rows // 5))
    return path
