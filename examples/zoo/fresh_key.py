"""A payment is made under an idempotency key. One agent makes a key for each attempt, its twin one for each payment.

The bug: the service honours keys, and sees as many payments as there are attempts.
"""

from __future__ import annotations

import uuid
from typing import Any

from failures import FAILED

import squall

ATTEMPTS = 3


def buggy(tools: Any) -> str:
    for _ in range(ATTEMPTS):
        try:
            tools.create_payment(order="A1", amount=40, idempotency_key=str(uuid.uuid4()))
            return "paid"
        except FAILED:
            continue
    return "unclear"


def repaired(tools: Any) -> str:
    key = str(uuid.uuid5(uuid.NAMESPACE_OID, "payment of order A1"))  # the same in every process that pays it
    for _ in range(ATTEMPTS):
        try:
            tools.create_payment(order="A1", amount=40, idempotency_key=key)
            return "paid"
        except FAILED:
            continue
    return "unclear"


def holds(run: Any) -> None:
    squall.at_most_once(run.world.payments, by="order")
