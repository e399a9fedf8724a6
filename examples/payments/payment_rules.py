"""What the payment service does behind the scenes: the listeners that worlds/payments.yaml names.

Each runs after the call that caused its event, in a transaction of its own. Nobody waits for it; an agent that wants to
know asks for the status.
"""

from __future__ import annotations

from typing import Any


def book_charge(world: Any, clock: Any, event: Any) -> None:
    """A new charge is paid at once."""
    world.charges.update(event.data["id"], status="succeeded", booked_at=clock.now())


def book_refund(world: Any, clock: Any, event: Any) -> None:  # noqa: ARG001 - listeners are given world and clock
    """A refund fails if more would be paid back than was charged."""
    refund = world.refunds[event.data["id"]]
    charge = world.charges[refund.charge]
    refunded = charge.refunded + refund.amount
    if refunded > charge.amount:
        world.refunds.update(refund.id, status="failed")
        return
    status = "refunded" if refunded == charge.amount else "partially_refunded"
    world.charges.update(charge.id, refunded=refunded, status=status)
    world.refunds.update(refund.id, status="succeeded")
