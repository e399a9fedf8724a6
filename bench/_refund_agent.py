"""The toy refund agent that exploration is measured with, in two kinds: each has one bug.

`blind` sends a refund again whose reply was lost: one fault is enough. `careful` looks first, and trusts an empty list:
that takes two faults, and the second can only happen while it recovers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import squall

WORLD = Path(__file__).resolve().parent / "worlds" / "returns.yaml"
KINDS = ("connection_lost", "http_503", "http_429", "error_in_200", "malformed_json", "empty_result")
ORDER = "7"


def blind(run: Any) -> str:
    return refund(run.tools, look=False)


def careful(run: Any) -> str:
    return refund(run.tools, look=True)


def refund(tools: Any, *, look: bool) -> str:
    """Six calls where nothing goes wrong."""
    order = read(lambda: tools.get_order(id=ORDER))
    if order is None or "total" not in order:
        return "escalated"
    if not read(lambda: tools.get_customer(id=order["customer"])) or not read(lambda: tools.list_orders(customer="c1")):
        return "escalated"
    try:
        if "id" not in tools.create_return(order=ORDER):
            return "escalated"
    except Exception:  # noqa: BLE001 - an agent sees whatever its tools raise
        return "escalated"
    for _ in range(2):
        try:
            if "id" in tools.issue_refund(order=ORDER, amount=order["total"]):
                break
        except Exception:  # noqa: BLE001 - as above
            if not look:
                continue
        if look:
            try:
                if found := tools.list_refunds(order=ORDER):
                    return "refunded" if isinstance(found, list) else "escalated"
            except Exception:  # noqa: BLE001 - as above
                return "escalated"
    else:
        return "escalated"
    read(lambda: tools.send_letter(order=ORDER, text="Your refund is on its way."), 1)
    return "refunded"


def read(call: Callable[[], Any], times: int = 2) -> Any:
    """What a call gives that may be made again; None where it gives nothing."""
    for _ in range(times):
        try:
            came = call()
        except Exception:  # noqa: BLE001 - as above
            came = None
        if came:
            return came
    return None


def holds(run: Any) -> None:
    """No order is paid back twice."""
    squall.at_most_once(run.world.refunds, by="order")
