"""Which call of its target a point is at, for people: `the 2nd call of model.chat`, where there are several.

Knows points, and no faults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from squall.decide import Point
from squall.errors import ordinal

Calls = Mapping[Point, int]
"""Points with the number of their call, of all at their target, where it tells one from others."""
WIRES = ("tool", "model")  # on others there are no calls
UNTOLD: Calls = {}


def calls_of(points: Iterable[Point], more: Calls = UNTOLD) -> dict[Point, int]:
    """The calls of a run that makes several at a target; its points in the order of the trace.

    `more` are points with their numbers in another run, which are told where that is not the first call anyway.
    """
    made: Counter[tuple[str, str]] = Counter()
    found: dict[Point, int] = {}
    for point in points:
        if point.wire not in WIRES:
            continue
        call = replace(point, attempt=1)
        number = found.get(call)
        if number is None or point.attempt == 1:
            made[point.wire, point.target] += 1
            number = found[call] = made[point.wire, point.target]
        found[point] = number
    told = {point: number for point, number in found.items() if made[point.wire, point.target] > 1}
    other = {point: n for point, n in more.items() if n > 1 and point.wire in WIRES and point not in found}
    return other | told


def place_in_words(point: Point, calls: Calls = UNTOLD) -> str:
    """`payments.issue_refund #2`, `the 2nd call of model.chat, attempt 2`."""
    number = calls.get(point)
    nth = f" #{point.nth}" if point.nth > 1 else ""
    place = f"{point.target}{nth}" if number is None else f"the {ordinal(number)} call of {point.target}"
    return f"{place}, attempt {point.attempt}" if point.attempt > 1 else place
