"""Decides by seed, run index and point, and by counting arrivals; holds no stream of random numbers.

Drawn faults are a pure function of `(seed, run_index, point)`: one uniform number per point, partitioned among the
target's drawn rules in the order written. An unrelated call therefore shifts nothing, and the order in which concurrent
calls arrive does not matter. Rules that count do follow arrival, per scope and lane: the target, unless a situation
says that something narrower is counted.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter

from squall.canonical import uniform
from squall.decide.decision import Decision, Situation
from squall.decide.indexed import Entries, Index
from squall.decide.rule import LATENCY, RateLimit, Rule, Rules

MICROS = 1_000_000


class Counts:
    """What has been counted in one scope and lane: arrivals by rule, and when calls were admitted, in microseconds."""

    __slots__ = ("admitted", "arrivals")

    def __init__(self) -> None:
        self.arrivals: Counter[int] = Counter()
        self.admitted: list[int] = []


class Keyed:
    """The decider of ordinary runs. Deciders that differ in `salt` draw independently of each other.

    `after` is one whose place this takes: what that has counted goes on.
    """

    def __init__(
        self, rules: Rules, *, seed: int = 0, run_index: int = 0, salt: str = "", after: Keyed | None = None
    ) -> None:
        self.seed, self.run_index = seed, run_index
        self._salt = (salt,) if salt else ()
        self._index = Index(rules)
        before = None if after is None else after._counts  # noqa: SLF001 - of its own class
        self._counts: dict[tuple[str, str], Counts] = {} if before is None else before

    def decide(self, situation: Situation) -> Decision:
        """Latency, then conditional rules, then the rate limit, then drawn and counted rules."""
        point, entries = situation.point, self._index.of(situation)
        latency = self._draw_latency(entries, situation)
        counted = self._count(entries, situation, latency)
        for rule in entries.always:
            if _meets(rule, situation, latency):
                return Decision(point, latency, rule)
        if entries.limit and (wait := self._wait(entries.limit, situation, latency)):
            return Decision(point, latency, retry_after=wait)
        drawn, edge = None, 0.0
        for rule in entries.chosen:
            if rule.probability is None:
                if rule.id in counted:
                    return Decision(point, latency, rule)
                continue
            if drawn is None:
                drawn = uniform(self.seed, self.run_index, *self._salt, *point.key)
            # A condition that is not met leaves the share of its rule empty; it never moves the shares of the others.
            hit, edge = edge <= drawn < edge + rule.probability, edge + rule.probability
            if hit and _meets(rule, situation, latency):
                return Decision(point, latency, rule, drawn)
        return Decision(point, latency, drawn=drawn)

    def forget(self, scope: str, lane: str | None = None) -> None:
        """Count anew in a scope, or in one of its lanes."""
        if lane is not None:
            self._counts.pop((scope, lane), None)
            return
        for key in [key for key in self._counts if key[0] == scope]:
            del self._counts[key]

    def _counts_of(self, situation: Situation) -> Counts:
        key = situation.point.scope, situation.lane or situation.target.name
        counts = self._counts.get(key)
        if counts is None:
            counts = self._counts[key] = Counts()
        return counts

    def _draw_latency(self, entries: Entries, situation: Situation) -> float:
        if entries.latency is None:
            return 0.0
        low, high, key = entries.latency.low, entries.latency.high, situation.point.key
        share = uniform(self.seed, self.run_index, LATENCY, *self._salt, *key) if high > low else 0.0
        return (low + (high - low) * share) / 1000

    def _count(self, entries: Entries, situation: Situation, latency: float) -> set[int]:
        """Count this arrival for each counting rule that it matches; the ids of those that it makes fire."""
        hits = set()
        for rule in entries.chosen:
            if rule.counted and _meets(rule, situation, latency):
                arrivals = self._counts_of(situation).arrivals
                arrivals[rule.id] += 1
                if rule.hits(arrivals[rule.id]):
                    hits.add(rule.id)
        return hits

    def _wait(self, limit: RateLimit, situation: Situation, latency: float) -> float:
        """0 where the call is admitted, else the seconds until the window has room."""
        # In whole microseconds: sums of seconds are a hair off, and a call at the window's very end would slip through.
        now, at, window = (_micros(s) for s in (situation.elapsed, situation.elapsed + latency, limit.per_seconds))
        admitted = self._counts_of(situation).admitted
        del admitted[: bisect_right(admitted, now - window)]
        # Latencies differ, so a later arrival may get here earlier: what `at` left behind is skipped, not forgotten.
        if len(admitted) - bisect_right(admitted, at - window) >= limit.calls:
            return (admitted[-limit.calls] + window - at) / MICROS
        insort(admitted, at)
        return 0.0


def _micros(seconds: float) -> int:
    return round(seconds * MICROS)


def _meets(rule: Rule, situation: Situation, latency: float) -> bool:
    if rule.scope is not None and rule.scope != situation.point.scope:
        return False
    when = rule.when
    if when is None:
        return True
    if not all(when.allows(name, situation.args, situation.target.schemas) for name in when.args):
        return False
    return (when.newer_than is None and when.older_than is None) or when.allows_age(situation.age(latency))
