"""What is simpler than a fault: a plainer kind, an earlier phase or call, a shorter wait, fewer repeats.

Which kinds are plain, and which parameters are sizes, is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil

from msgspec.structs import replace

from squall.explore.choice import Choice

PHASES = ("before", "after", "late")
SMALL = 8  # sizes up to this are tried one by one

Rank = tuple[int, int, int, int]


def simpler_by(
    others: Callable[[Choice], Iterable[Choice]], *, kinds: Sequence[str] = (), sizes: Sequence[str] = ()
) -> Callable[[Choice], Iterator[Choice]]:
    """A function that gives what is simpler than a fault, the simplest first.

    `others` are the faults that could be in its place; `kinds` names kinds from the plainest on, those it does not
    name being the least plain; `sizes` are parameters of which less is simpler (seconds, repeats).
    """
    plain = {kind: rank for rank, kind in enumerate(kinds)}

    def rank(choice: Choice) -> Rank:
        phase = PHASES.index(choice.phase) if choice.phase in PHASES else len(PHASES)
        return plain.get(choice.kind, len(plain)), choice.point.nth, choice.point.attempt, phase

    def simpler(choice: Choice) -> Iterator[Choice]:
        own = rank(choice)
        found = [other for other in others(choice) if rank(other) < own]
        yield from sorted((other for other in found if _may_replace(other, choice, plain)), key=rank)
        yield from _smaller(choice, sizes)

    return simpler


def _may_replace(other: Choice, choice: Choice, plain: dict[str, int]) -> bool:
    """Kinds that nobody ranked are no plainer than each other."""
    return other.kind == choice.kind or other.kind in plain


def _smaller(choice: Choice, sizes: Sequence[str]) -> Iterator[Choice]:
    """The same fault with less of one parameter: as little as possible, then half of it."""
    for name, value in choice.params:
        if name in sizes and isinstance(value, int | float) and not isinstance(value, bool):
            for less in _less(value):
                params = tuple((each, less if each == name else old) for each, old in choice.params)
                yield replace(choice, params=params)


def _less(value: float) -> Iterator[float]:
    """Down to 1 and no further: no time, or no repeat, would be no fault."""
    kind = type(value)
    for less in range(1, ceil(value)) if value <= SMALL else (1, int(value // 2)):
        yield kind(less)
