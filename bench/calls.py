"""Tool calls per second through `tools`, with the hash-chained trace and without, calm and with drawn faults.

The call is the cheapest there is, a read of one row by its id, so that what is timed is squall and not a handler.
Seconds are of CPU time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from _table import ROOT, at_least, median, plain, show, turns

import squall

SHOP = ROOT / "examples" / "shop" / "worlds" / "shop.yaml"
CALLS = 4_000
ROUNDS = 11
RARE = {"orders.get_order": {"errors": {"http_500": 0.02, "timeout": 0.02, "not_found": 0.01}}}
SLOW = {"orders.get_order": {"errors": {"http_500": 0.05}, "latency_ms": [20, 120]}}
NEVER = [{"target": "orders.get_order", "kind": "http_500", "nth": 10**9}]
LIMITS = {"calls": 10**9, "seconds": 10**9}


def calling(call: Callable[..., Any]) -> Callable[[], None]:
    """Many calls; what a fault raises is swallowed, as an agent would."""

    def work() -> None:
        for _ in range(CALLS):
            try:
                call(id="1")
            except (squall.ToolError, TimeoutError):
                continue

    return work


def per_second(times: list[float]) -> float:
    return CALLS / median(times)


def main() -> None:
    kinds: list[tuple[str, Any, bool, float | None]] = [
        ("recorded, no faults", None, True, 40_000),
        ("recorded, faults drawn on the target (5 %)", RARE, True, None),
        ("recorded, latency and faults drawn on the target", SLOW, True, None),
        ("recorded, a counting rule on the target", NEVER, True, None),
        ("not recorded, no faults", None, False, 150_000),
        ("not recorded, faults drawn on the target (5 %)", RARE, False, None),
    ]
    runs = [squall.world(SHOP, faults=faults, record=record, limits=LIMITS) for _, faults, record, _ in kinds]
    bare = runs[0].world
    works = [calling(run.tools.get_order) for run in runs]
    works.append(calling(lambda id: bare.call("get_order", {"id": id})))
    rates = [per_second(times) for times in turns(*works, rounds=ROUNDS)]
    figures = [
        plain(name, rate, "calls/s") if target is None else at_least(name, rate, target, "calls/s")
        for (name, _, _, target), rate in zip(kinds, rates, strict=False)
    ]
    figures.append(plain("the world alone, without `tools`", rates[-1], "calls/s"))
    lines = len(runs[0].trace.lines)
    assert lines == 1 + 2 * CALLS * (ROUNDS + 1), "each call leaves its two lines"
    show("Calls through `tools`", figures)


if __name__ == "__main__":
    main()
