"""What must hold of the bank when a run has ended, beside what squall's own properties can say."""

from __future__ import annotations

from typing import Any


def rent_is_paid(world: Any) -> None:
    """Ilse has the rent, once."""
    balance = world.accounts["DK-2"].balance
    assert balance == 65_000, f"account DK-2 holds {balance} cents, and 65000 are right"
