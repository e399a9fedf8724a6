"""Whether an agent does the same twice: holds two runs without faults against each other, and all others up to a fault.

Where they differ, what one run shows says nothing certain about the next, and a search goes on in statistical mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from squall.explore.choice import Schedule, in_words
from squall.explore.observed import Observed, Seen

STATISTICAL = "so the search cannot rely on runs being repeatable, and leaves nothing out as already known"


def difference(one: Observed, other: Observed, differs: str = "") -> str:
    """The first difference of two runs of the same schedule, as a sentence; "" where there is none.

    `differs` names an argument that is another one each time.
    """
    found = _in_calls(one, other, differs) or _in_ending(one, other) or _in_content(one, other)
    return f"Two runs without faults differ: {found}; {STATISTICAL}." if found else ""


def has_others_each_time(one: Observed, other: Observed) -> bool:
    """Whether calls are the same but for their arguments, so that no fault finds its point again."""
    pairs = [(first.point, second.point) for first, second in zip(one.seen, other.seen, strict=False)]
    return any(first != second and first.target == second.target for first, second in pairs)


def strayed(calm: Sequence[Seen], seen: Sequence[Seen], schedule: Schedule) -> str:
    """Where a run went another way than the one without faults before it met any, as a sentence; "" where it did not.

    Both in the order of the trace.
    """
    met = {choice.point for choice in schedule}
    for number, (first, second) in enumerate(zip_longest(calm, seen), start=1):
        if first is None or second is None or (first.point, first.state) != (second.point, second.state):
            without, under = ("nothing more" if each is None else _shown(each) for each in (first, second))
            where = (
                f"call {number} was {without} there and {under} here"
                if without != under
                else (f"call {number}, {under}, had other arguments, or came after other things")
            )
            return f"A run went another way before it met its fault, {in_words(schedule)}: {where}; {STATISTICAL}."
        if second.point in met:
            return ""
    return ""


def _in_calls(one: Observed, other: Observed, differs: str) -> str:
    for number, (first, second) in enumerate(zip_longest(one.seen, other.seen), start=1):
        if first is None:
            return f"only the second made call {number}, {_shown(second)}"
        if second is None:
            return f"only the first made call {number}, {_shown(first)}"
        if first.point == second.point:
            continue
        if first.point.target != second.point.target or first.point.scope != second.point.scope:
            return f"call {number} was {_shown(first)} in the first and {_shown(second)} in the second"
        return f"call {number}, {_shown(first)}, had other arguments each time{f' ({differs})' if differs else ''}"
    return ""


def _in_ending(one: Observed, other: Observed) -> str:
    if (one.status, one.failure) == (other.status, other.failure):
        return ""
    return f"the first {one.ended} and the second {other.ended}"


def _in_content(one: Observed, other: Observed) -> str:
    for number, (first, second) in enumerate(zip(one.seen, other.seen, strict=True), start=1):
        if first.state != second.state:
            return (
                f"their calls are the same, but before call {number}, {_shown(first)}, the agent had seen other things"
            )
    if one.trace_digest and other.trace_digest and one.trace_digest != other.trace_digest:
        return "their calls are the same, but what was said in them is not"
    return ""


def _shown(seen: Seen) -> str:
    point = seen.point
    return f"{point.target} (in {point.scope})" if point.scope else point.target
