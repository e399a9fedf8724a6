"""Strategies side by side: run against run of the same scenario, seed and run index. Who is better, and is it chance?

Such pairs meet the same weather, so that they tell more than two rates do. The n-th sample of the one goes with the
n-th of the other. Knows records; the test and the interval are `squall.stats`'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from squall.reports.cells import passes
from squall.reports.labels import labels_of
from squall.reports.summary import Summary, in_order
from squall.reports.visible import visible
from squall.reports.wording import counted
from squall.stats.bootstrap import RESAMPLES
from squall.stats.compare import Comparison, compare_paired
from squall.store.record import RunRecord

MOST_DRAWS, FEWEST = 1_000_000, 200
"""Values drawn for one interval, and resamples that it has in any case."""
OTHERS = 4
"""Strategies that the best one is held against."""
LONGEST = 40
Place = tuple[str, int, int, int]


class Pair(msgspec.Struct, frozen=True):
    """`a` against `b` on the runs that both have. `alone` are the runs of either that have no counterpart.

    `same` are those pairs that are one and the same run, `changed` the scenarios that are not the same in both.
    """

    a: str
    b: str
    comparison: Comparison | None
    alone: int
    same: int
    changed: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """All of it in words."""
        a, b = visible(self.a, LONGEST), visible(self.b, LONGEST)
        if self.comparison is None:
            return f"{a} and {b} have no run in common: nothing can be said."
        said = [self.comparison.sentence(a, b, of="runs")]
        if self.same:
            said.append(f"{counted(self.same, 'of these pairs is one run', 'of these pairs are one run each')}.")
        if self.alone:
            said.append(f"{counted(self.alone, 'run')} of either had no counterpart and did not count.")
        if self.changed:
            names = ", ".join(visible(name, LONGEST) for name in self.changed)
            said.append(f"Not the same scenario in both: {names}.")
        return " ".join(said)


def summarize_pair(a: Sequence[RunRecord], b: Sequence[RunRecord]) -> tuple[Pair, ...]:
    """Two suites: each strategy of A against its namesake in B; where they share none, each against each."""
    labels = labels_of(in_order([*a, *b]))
    in_a, in_b = _by_strategy(a), _by_strategy(b)
    shared = [name for name in in_a if name in in_b]
    of = [(name, name) for name in shared] or [(one, other) for one in in_a for other in in_b]
    return tuple(_pair(*_sides(in_a[one], in_b[other], labels), in_a[one], in_b[other]) for one, other in of)


def best_against_others(summary: Summary, runs: Sequence[RunRecord]) -> tuple[Pair, ...]:
    """Within one suite: the strategy with the best rate against the others."""
    of: dict[str, list[RunRecord]] = {strategy: [] for strategy in summary.strategies}
    for run in in_order(runs):
        of[summary.labels[run.hash]].append(run)
    best, *others = summary.strategies[: OTHERS + 1] or ("",)
    return tuple(_pair(best, other, of[best], of[other]) for other in others)


def _by_strategy(runs: Iterable[RunRecord]) -> dict[str, list[RunRecord]]:
    of: dict[str, list[RunRecord]] = {}
    for run in in_order(runs):
        of.setdefault(run.strategy, []).append(run)
    return dict(sorted(of.items()))


def _sides(a: Sequence[RunRecord], b: Sequence[RunRecord], labels: Mapping[str, str]) -> tuple[str, str]:
    """What the two are called: by their own names, where those tell them apart."""
    one, other = _named(a, labels), _named(b, labels)
    return (f"{one} in A", f"{other} in B") if one == other else (one, other)


def _named(runs: Sequence[RunRecord], labels: Mapping[str, str]) -> str:
    own = {labels[run.hash] for run in runs}
    return own.pop() if len(own) == 1 else runs[0].strategy


def _placed(runs: Iterable[RunRecord]) -> dict[Place, RunRecord]:
    """Runs by scenario, seed, run index and which sample of it they are; a skipped one says nothing."""
    placed: dict[Place, RunRecord] = {}
    seen: dict[tuple[str, int, int], int] = {}
    for run in runs:
        if run.status == "skipped":
            continue
        place = run.scenario, run.seed, run.run_index
        seen[place] = number = seen.get(place, -1) + 1
        placed[*place, number] = run
    return placed


def _pair(a: str, b: str, runs_a: Iterable[RunRecord], runs_b: Iterable[RunRecord]) -> Pair:
    in_a, in_b = _placed(runs_a), _placed(runs_b)
    common = [place for place in in_a if place in in_b]
    comparison = None
    if common:
        resamples = min(RESAMPLES, max(FEWEST, MOST_DRAWS // len(common)))
        comparison = compare_paired(
            [passes(in_a[place]) for place in common],
            [passes(in_b[place]) for place in common],
            resamples=resamples,
        )
    return Pair(
        a=a,
        b=b,
        comparison=comparison,
        alone=len(in_a) + len(in_b) - 2 * len(common),
        same=sum((in_a[place].hash, in_a[place].head) == (in_b[place].hash, in_b[place].head) for place in common),
        changed=tuple(sorted({place[0] for place in common if _differ(in_a[place], in_b[place])})),
    )


def _differ(a: RunRecord, b: RunRecord) -> bool:
    return a.inputs.scenario != b.inputs.scenario or a.inputs.files != b.inputs.files
