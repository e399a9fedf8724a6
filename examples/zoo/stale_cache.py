"""An item is put into a cart. One agent remembers what it has read, its twin reads again when something has changed.

The bug: reads are cached for the whole run. After a lost reply the cart is looked at, as it was before the write.
"""

from __future__ import annotations

from typing import Any

from failures import FAILED

import squall

ATTEMPTS = 3


def buggy(tools: Any) -> str:
    cache: dict[str, list[str]] = {}

    def cached(cart: str) -> list[str]:
        if cart not in cache:
            cache[cart] = read(tools, cart)
        return cache[cart]

    for _ in range(ATTEMPTS):
        try:
            if "lamp" in cached("c1") or tools.add_item(cart="c1", sku="lamp"):
                return "it is in the cart"
        except FAILED:
            continue
    return "failed"


def repaired(tools: Any) -> str:
    try:
        if "lamp" in read(tools, "c1") or tools.add_item(cart="c1", sku="lamp").get("id"):
            return "it is in the cart"
    except FAILED:
        pass
    try:
        return "it is in the cart" if "lamp" in read(tools, "c1") else "unclear"
    except FAILED:
        return "unclear"


def read(tools: Any, cart: str) -> list[str]:
    """What is in a cart. Raises ValueError where the service says something else."""
    items = tools.read_cart(cart=cart)
    if not isinstance(items, list):
        raise ValueError(f"no cart: {items}")
    return [item["sku"] for item in items]


def holds(run: Any) -> None:
    squall.at_most_once(run.world.items, by=("cart", "sku"))
