"""What the bank decides. A handler is one transaction: debit, credit and record land together or not at all."""

from __future__ import annotations

from typing import Any

from bank_fees import fee_for


def transfer(world: Any, clock: Any, source: str, target: str, amount: int) -> Any:
    """Move cents from one account to another; the fee, if there is one, is taken from what arrives."""
    del clock
    giver, taker = world.accounts[source], world.accounts[target]
    if giver.balance < amount:
        raise PermissionError(f"account {source} holds less than {amount}")
    world.accounts.update(source, balance=giver.balance - amount)
    world.accounts.update(target, balance=taker.balance + amount - fee_for(amount))
    return world.transfers.insert(source=source, target=target, amount=amount)
