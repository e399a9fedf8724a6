"""What the payment service decides: the handler that worlds/refunds.yaml names."""

from __future__ import annotations

from typing import Any


def create_refund(world: Any, clock: Any, charge: str, amount: int | None = None) -> Any:  # noqa: ARG001 - handlers are given both
    """Pay back `amount` cents of a charge; without an amount, all of it."""
    row = world.charges[charge]
    refunded = sum(refund.amount for refund in world.refunds.where(charge=charge))
    amount = row.amount - refunded if amount is None else amount
    if not 0 < amount <= row.amount - refunded:
        raise ValueError(f"{refunded} of {row.amount} are paid back already: {amount} cannot be")
    return world.refunds.insert(charge=charge, amount=amount)
