"""The bank's fees."""

from __future__ import annotations

FREE_UP_TO = 1_000_000
FEE = 50


def fee_for(amount: int) -> int:
    """The fee for moving so many cents."""
    return 0 if amount <= FREE_UP_TO else FEE
