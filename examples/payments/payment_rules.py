"""What the payment service does behind the scenes: the listeners that worlds/payments.yaml names.

Each runs after the call that caused its event, in a transaction of its own. Nobody waits for it; an agent that wants to
know asks for the status.
"""

from __future__ import annotations

from typing import Any

BOOKED = ("succeeded", "failed")


def book_charge(world: Any, clock: Any, event: Any) -> None:
    """A new charge is paid at once."""
    _pay(world, clock, event.data["id"])


def book_refund(world: Any, clock: Any, event: Any) -> None:
    """A refund fails if more would be paid back than was charged.

    Events may come twice, late, and one before the other: what is booked is not booked again, and a charge whose own
    event is still on its way is paid first.
    """
    refund = world.refunds[event.data["id"]]
    if refund.status in BOOKED:
        return
    charge = _pay(world, clock, refund.charge)
    refunded = charge.refunded + refund.amount
    if refunded > charge.amount:
        world.refunds.update(refund.id, status="failed")
        return
    status = "refunded" if refunded == charge.amount else "partially_refunded"
    world.charges.update(charge.id, refunded=refunded, status=status)
    world.refunds.update(refund.id, status="succeeded")


def _pay(world: Any, clock: Any, charge: str) -> Any:
    """The charge, which is paid by now."""
    if world.charges[charge].status == "pending":
        world.charges.update(charge, status="succeeded", booked_at=clock.now())
    return world.charges[charge]
