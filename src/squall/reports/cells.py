"""One aggregate row: what some runs of one strategy come to. Judges nothing: that stands in each run's record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from squall.stats.interval import Interval
from squall.stats.pass_k import pass_hat_k
from squall.stats.quantile import median, p95
from squall.stats.wilson import wilson
from squall.store.record import RunRecord, Status

Group = Literal["strategy", "scenario", "fault"]
MOST_K = 5
STATUSES: tuple[Status, ...] = ("passed", "failed", "crashed", "hung", "not_fired", "skipped")


class Spread(msgspec.Struct, frozen=True):
    """Median and 95th percentile; None where there is no run."""

    median: float | None = None
    p95: float | None = None


class Cell(msgspec.Struct, frozen=True):
    """`runs` are all of the cell's, `judged` those that its `rate` is of, `met` those of them that passed.

    `fired` are the judged runs in which a fault happened, `recovered` those of them that passed. `not_reached` are the
    runs of the cell that never came to where a fault was planned, `spared` those that did while it stayed away.
    `pass_k[i]` is the estimated chance that i + 1 runs of one scenario all pass, averaged over the cell's scenarios,
    for as many as its smallest one has runs. The spreads and sums are over the judged runs; latency is in seconds
    (virtual ones, but for programs), `retries` per call. `courses` are the different ways that they went, pauses apart:
    where there is one, many runs say no more than one.
    """

    group: Group
    name: str
    strategy: str
    runs: int
    judged: int
    met: int
    rate: float | None
    interval: Interval
    pass_k: tuple[float, ...]
    fired: int
    recovered: int
    not_reached: int
    spared: int
    statuses: Mapping[str, int]
    latency: Spread
    calls: Spread
    retries: float | None
    duplicate_effects: int
    tokens: int
    cost: float
    courses: int


def passes(run: RunRecord) -> bool:
    """Whether the run's expectations hold, and its faults had their chance to break them."""
    return run.met and run.status not in {"not_fired", "skipped"}


def cell_of(group: Group, name: str, strategy: str, runs: Sequence[RunRecord], kinds: frozenset[str] | None) -> Cell:
    """Count them. With `kinds`, the cell is of a fault: it rests on the runs in which one of these fired.

    `kinds` hold the fault's places in the records as `kind wire`; an empty set is of the runs that planned no fault.
    """
    met_faults = [_fired(run, kinds) for run in runs]
    if kinds:
        judged = [run for run, fired in zip(runs, met_faults, strict=True) if fired and run.status != "skipped"]
    else:
        judged = [run for run in runs if run.status != "skipped"]
    met = [run for run in judged if passes(run)]
    latency = [run.metrics.latency_s for run in judged]
    calls = [float(run.metrics.calls) for run in judged]
    counts = Counter(run.status for run in runs)
    missed = Counter(_missed(run, kinds) for run in runs)
    return Cell(
        group=group,
        name=name,
        strategy=strategy,
        runs=len(runs),
        judged=len(judged),
        met=len(met),
        rate=len(met) / len(judged) if judged else None,
        interval=wilson(len(met), len(judged)),
        pass_k=_pass_k(judged),
        fired=sum(_fired(run, None) for run in judged),
        recovered=sum(_fired(run, None) for run in met),
        not_reached=missed["not_reached"],
        spared=missed["spared"],
        statuses={status: counts[status] for status in STATUSES if counts[status]},
        latency=_spread(latency),
        calls=_spread(calls),
        retries=round(sum(run.metrics.retries_per_call for run in judged) / len(judged), 6) if judged else None,
        duplicate_effects=sum(run.metrics.duplicate_effects for run in judged),
        tokens=sum(run.metrics.tokens for run in judged),
        cost=round(sum(run.metrics.cost for run in judged), 6),
        courses=len({_course(run) for run in judged}),
    )


def _fired(run: RunRecord, kinds: frozenset[str] | None) -> bool:
    return any(fault.fired and (kinds is None or f"{fault.kind} {fault.wire}" in kinds) for fault in run.faults)


def _missed(run: RunRecord, kinds: frozenset[str] | None) -> str:
    """`not_reached` or `spared`, where a fault that was planned never happened: the run says nothing about it."""
    faults = [fault for fault in run.faults if kinds is None or f"{fault.kind} {fault.wire}" in kinds]
    if run.status == "skipped" or not faults:
        return ""
    is_incomplete = kinds is None and run.status == "not_fired"
    if not is_incomplete and any(fault.fired for fault in faults):
        return ""
    reached = [fault.reached > 0 or fault.fired > 0 for fault in faults]
    return "spared" if (all(reached) if is_incomplete else any(reached)) else "not_reached"


def _course(run: RunRecord) -> tuple[object, ...]:
    metrics = run.metrics
    counts = run.events, metrics.calls, metrics.attempts, metrics.fired, metrics.duplicate_effects
    return run.scenario, run.status, run.answered, run.reasons, counts


def _spread(values: Sequence[float]) -> Spread:
    return Spread(round(median(values), 6), round(p95(values), 6)) if values else Spread()


def _pass_k(runs: Sequence[RunRecord]) -> tuple[float, ...]:
    of: dict[str, list[bool]] = {}
    for run in runs:
        of.setdefault(run.scenario, []).append(passes(run))
    counts = [(sum(each), len(each)) for each in of.values()]
    most = min([MOST_K, *(total for _, total in counts)]) if counts else 0
    return tuple(
        round(sum(pass_hat_k(passed, total, k) for passed, total in counts) / len(counts), 6)
        for k in range(1, most + 1)
    )
