"""What the bank decides: the handler that worlds/bank.yaml names.

A handler is one transaction: debit, credit and the record of both land together or not at all.
"""

from __future__ import annotations

from typing import Any


def transfer(world: Any, clock: Any, idempotency_key: str, source: str, target: str, amount: int, version: int) -> Any:
    """Move cents from one account to another. A key that was used before gives the first answer again.

    `version` is that of the source account, as you read it: if it has changed since, nothing is moved.
    """
    request = {"source": source, "target": target, "amount": amount}
    made = world.transfers.where(idempotency_key=idempotency_key)  # first of all: a repeated call has an old version
    if made and all(made[0][name] == value for name, value in request.items()):
        return made[0]
    if made:
        raise ValueError(f"the key {idempotency_key} was used for another transfer")
    if source == target:
        raise ValueError("source and target are the same account")
    giver = world.accounts[source]
    if giver.balance < amount:
        raise PermissionError(f"account {source} holds less than {amount}")
    world.accounts.update(source, balance=giver.balance - amount, version=version)
    world.accounts.update(target, balance=world.accounts[target].balance + amount)
    return world.transfers.insert(idempotency_key=idempotency_key, made_at=clock.now(), **request)
