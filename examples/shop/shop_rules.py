"""What the shop's services decide: the handlers that worlds/shop.yaml names.

A handler is one transaction. LookupError, ValueError and PermissionError are refusals, which the agent reads as errors.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

RETURN_WINDOW = timedelta(days=30)


def create_return(world: Any, clock: Any, order: str, reason: str | None = None) -> Any:
    """Open a return for a delivered order, within 30 days of its purchase."""
    row = world.orders[order]
    if row.status != "delivered":
        raise ValueError(f"order {order} is {row.status}, and only a delivered order can be returned")
    if clock.now() - row.placed_at > RETURN_WINDOW:
        raise ValueError(f"order {order} was placed more than {RETURN_WINDOW.days} days ago")
    world.orders.update(order, status="returned")
    return world.returns.insert(order=order, reason=reason, opened_at=clock.now())


def issue_refund(world: Any, clock: Any, order: str) -> Any:  # noqa: ARG001 - handlers are given world and clock
    """Pay an order's total back to the customer. The order must have been returned."""
    row = world.orders[order]
    if row.status != "returned":
        raise ValueError(f"order {order} has not been returned")
    return world.refunds.insert(order=order, amount=row.total)
