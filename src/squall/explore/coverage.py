"""What a search has tried of what there is to try: a table by target, kind and phase, shares of schedules, a claim.

Counts what has happened, never what was planned. Does not depend on the order in which runs were reported.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from squall.decide import Point
from squall.explore.calls import UNTOLD, Calls
from squall.explore.claim import claim, notes
from squall.explore.generation import Generation
from squall.explore.observed import Observed, Status
from squall.explore.places import Cell, Key, Places, cell_of
from squall.explore.shares import Share
from squall.explore.unfired import Unfired

CALLS = ("tool", "model")
"""The wires of calls; of others the points are beside the calls."""


class Line(msgspec.Struct, frozen=True):
    """A kind in a phase at a target, counted in points.

    `seen` is where it could happen, `revealed` those of them that only recovering leads to, `faulted` where it did
    happen, and `bad` where it did in a run that failed. `calm` of those seen, and `calm_faulted` of those where it did
    happen, are places that a run without faults has: what a search for single faults is about.
    """

    wire: str
    target: str
    kind: str
    phase: str
    seen: int
    revealed: int
    faulted: int
    bad: int
    calm: int = 0
    calm_faulted: int = 0


class Coverage(msgspec.Struct, frozen=True):
    """What has been tried: `claim` in one sentence, `notes` what limits it, the rest the figures behind both.

    `runs` are all, those without faults included. `revealed` are the targets of calls that only recovering makes, with
    how many such points there were; `never_true` the names of `sometimes` that were not true in any run. `left_out` are
    targets and kinds that the filters took away.
    """

    claim: str
    notes: tuple[str, ...]
    lines: tuple[Line, ...]
    shares: tuple[Share, ...]
    revealed: tuple[tuple[str, int], ...]
    statuses: dict[Status, int]
    runs: int
    tokens: int
    pruned: int
    never_true: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    statistical: str
    cut: str

    @property
    def shows_nothing(self) -> bool:
        """Whether there was something to try, and none of it has happened, or was let in by the filters."""
        tried = any(share.covered for share in self.shares)
        planned = any(share.possible or share.impossible for share in self.shares)
        return not tried and (bool(self.left_out) or planned)


class Totals:
    """What all runs have come to, taken together."""

    def __init__(self) -> None:
        self.statuses: Counter[Status] = Counter()
        self.faulted: defaultdict[Cell, set[Point]] = defaultdict(set)
        self.bad: defaultdict[Cell, set[Point]] = defaultdict(set)
        self.fired: set[Key] = set()  # schedules whose faults have all happened
        self.unfired = Unfired()
        self.told: set[Key] = set()
        self.true: set[str] = set()
        self.asked: set[str] = set()
        self.tokens = self.skipped = 0
        self.inert = True  # as far as is known, and then it has to be known of all

    def take(self, observed: Observed, key: Key, places: Places) -> bool:
        """Take in a run of a schedule; whether all of its faults have happened."""
        self.tokens += observed.tokens
        self.inert = self.inert and observed.effects == 0
        self.true |= observed.marks
        self.asked |= observed.asked
        for choice in observed.fired:
            cell = cell_of(choice)
            self.faulted[cell].add(choice.point)
            if observed.bad:
                self.bad[cell].add(choice.point)
        self.told.add(key)
        self.skipped += observed.status == "skipped" and bool(key)
        happened = {places.number(choice) for choice in observed.fired}
        fired = observed.status != "skipped" and happened.issuperset(key)
        # Whoever reports a pass although a fault stayed away is not believed: such a run has shown nothing.
        self.statuses["not_fired" if observed.status == "passed" and not fired else observed.status] += 1
        if fired:
            self.fired.add(key)
        elif observed.status != "skipped":
            self.unfired.take(observed, key, happened, places)
        return fired


def coverage_of(
    places: Places,
    totals: Totals,
    generations: Sequence[Generation],
    *,
    depth: int,
    budget: int | None,
    failures: int,
    statistical: str,
    cut: str,
    calls: Calls = UNTOLD,
    others: str = "",
) -> Coverage:
    """What there is to say now. `budget` is how many runs there may be, and `calls` tell those of a target apart.

    `others`: why faults may not find their point again.
    """
    impossible = totals.unfired.impossible if places.repeatable else set[Key]()
    shares = tuple(_share(generation, totals, impossible) for generation in generations)
    keys = [key for generation in generations for key in generation.keys if key in totals.told - totals.fired]
    named = [
        totals.unfired.named([key for key in keys if (key in impossible) is out], places, calls)
        for out in (False, True)
    ]
    nowhere: dict[Cell, set[Point]] = defaultdict(set)
    for key in impossible:
        if len(key) == 1:
            choice = places.choice(key[0])
            nowhere[cell_of(choice)].add(choice.point)
    left_out = tuple(sorted(places.left_out))
    never_true = tuple(sorted(totals.asked - totals.true))
    short = budget if any(generation.cut for generation in generations) else None
    said = notes(
        shares,
        statistical=statistical,
        cut=cut,
        runs=short,
        left_out=left_out,
        idle=places.idle(),
        near=places.near(),
        never_true=never_true,
        inert=totals.inert,
        skipped=totals.skipped,
        unfired=named[0],
        impossible=named[1],
    )
    lines = (_line(cell, places, totals, nowhere) for cell in sorted(places.cells.keys() | totals.faulted.keys()))
    revealed = Counter(point.target for point in places.revealed if point.attempt == 1 and point.wire in CALLS)
    return Coverage(
        claim=claim(shares, depth=depth, kinds=places.kinds, targets=places.targets, failures=failures, others=others),
        notes=tuple(said),
        lines=tuple(line for line in lines if line.seen),
        shares=shares,
        revealed=tuple(sorted(revealed.items())),
        statuses=dict(sorted(totals.statuses.items())),
        runs=totals.statuses.total(),
        tokens=totals.tokens,
        pruned=sum(share.left_out for share in shares),
        never_true=never_true,
        left_out=left_out,
        statistical=statistical,
        cut=cut or (f"the budget of {short:,} runs is used up" if short is not None else ""),
    )


def _share(generation: Generation, totals: Totals, impossible: set[Key]) -> Share:
    told = [key for key in generation.keys if key in totals.told]
    fired = sum(key in totals.fired for key in told)
    known = sum(key in totals.fired for key in generation.stand_ins)
    out = sum(key in impossible for key in told)
    out_too = sum(key in impossible for key in generation.stand_ins)
    return Share(
        faults=generation.faults,
        possible=generation.possible - out - out_too,
        run=len(told),
        covered=fired + known,
        left_out=known,
        never_fired=len(told) - fired - out,
        behind=generation.behind,
        drawn=generation.drawn,
        impossible=out + out_too,
    )


def _line(cell: Cell, places: Places, totals: Totals, nowhere: Mapping[Cell, set[Point]]) -> Line:
    faulted = totals.faulted.get(cell, set())
    seen = (places.cells.get(cell, set()) - nowhere.get(cell, set())) | faulted
    return Line(
        *cell,
        seen=len(seen),
        revealed=len(seen & places.revealed),
        faulted=len(faulted),
        bad=len(totals.bad.get(cell, ())),
        calm=len(seen & places.calm),
        calm_faulted=len(faulted & places.calm),
    )
