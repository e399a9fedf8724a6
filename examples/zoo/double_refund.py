"""A refund is issued. When no reply comes, one agent sends it again; its twin looks first, and never sends it twice.

The bug: a lost reply is taken for a refund that was not made. What the twin finds out is what it says.
"""

from __future__ import annotations

from typing import Any

from failures import FAILED, NO_REPLY

import squall

ATTEMPTS = 3


def buggy(tools: Any) -> str:
    for _ in range(ATTEMPTS):
        try:
            tools.issue_refund(order="A1", amount=40)
            return "refunded"
        except NO_REPLY:
            continue
        except FAILED:
            return "failed"
    return "failed"


def repaired(tools: Any) -> str:
    try:
        tools.issue_refund(order="A1", amount=40)
    except FAILED:
        return look(tools)
    return "refunded"


def look(tools: Any) -> str:
    """What is seen is true; what is not seen may come yet, and is for a person to decide."""
    for _ in range(ATTEMPTS):
        try:
            return "refunded" if tools.list_refunds(order="A1") else "unclear"
        except FAILED:
            continue
    return "unclear"


def holds(run: Any) -> None:
    squall.at_most_once(run.world.refunds, by="order")
