"""Decides by seed, run index and point, and by counting arrivals; holds no stream of random numbers.

Drawn faults are a pure function of `(seed, run_index, point)`: one uniform number per point, partitioned among the
target's drawn rules in the order written. An unrelated call therefore shifts nothing, and the order in which concurrent
calls arrive does not matter. Rules that count do follow arrival, per target and scope.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter

from squall.canonical import uniform
from squall.decide.decision import Decision, Situation
from squall.decide.rule import LATENCY, RateLimit, Rule, Rules

MICROS = 1_000_000


class Keyed:
    """The decider of ordinary runs."""

    def __init__(self, rules: Rules, *, seed: int = 0, run_index: int = 0) -> None:
        self.seed, self.run_index = seed, run_index
        self._latency = {name: (e.low, e.high) for e in rules.latencies for name in e.targets}
        self._limits = {name: limit for limit in rules.limits for name in limit.targets}
        self._always: dict[str, list[Rule]] = {}
        self._chosen: dict[str, list[Rule]] = {}
        for rule in rules.faults:
            kind = self._chosen if rule.drawn or rule.counted else self._always
            for name in rule.targets:
                kind.setdefault(name, []).append(rule)
        self._arrivals: Counter[tuple[int, str, str]] = Counter()
        self._admitted: dict[tuple[str, str], list[int]] = {}

    def decide(self, situation: Situation) -> Decision:
        """Latency, then conditional rules, then the rate limit, then drawn and counted rules."""
        name, point = situation.target.name, situation.point
        latency = self._draw_latency(name, point.key)
        counted = self._count(situation, latency)
        for rule in self._always.get(name, ()):
            if _meets(rule, situation, latency):
                return Decision(point, latency, rule)
        limit = self._limits.get(name)
        if limit and (wait := self._wait(limit, situation, latency)):
            return Decision(point, latency, retry_after=wait)
        drawn, edge = None, 0.0
        for rule in self._chosen.get(name, ()):
            if rule.probability is None:
                if rule.id in counted:
                    return Decision(point, latency, rule)
                continue
            if drawn is None:
                drawn = uniform(self.seed, self.run_index, *point.key)
            # A condition that is not met leaves the share of its rule empty; it never moves the shares of the others.
            hit, edge = edge <= drawn < edge + rule.probability, edge + rule.probability
            if hit and _meets(rule, situation, latency):
                return Decision(point, latency, rule, drawn)
        return Decision(point, latency, drawn=drawn)

    def _draw_latency(self, name: str, key: tuple[str | int, ...]) -> float:
        low, high = self._latency.get(name, (0.0, 0.0))
        share = uniform(self.seed, self.run_index, LATENCY, *key) if high > low else 0.0
        return (low + (high - low) * share) / 1000

    def _count(self, situation: Situation, latency: float) -> set[int]:
        """Count this arrival for each counting rule that it matches; the ids of those that it makes fire."""
        hits = set()
        for rule in self._chosen.get(situation.target.name, ()):
            if rule.counted and _meets(rule, situation, latency):
                counter = (rule.id, situation.target.name, situation.point.scope)
                self._arrivals[counter] += 1
                if rule.hits(self._arrivals[counter]):
                    hits.add(rule.id)
        return hits

    def _wait(self, limit: RateLimit, situation: Situation, latency: float) -> float:
        """0 where the call is admitted, else the seconds until the window has room."""
        # In whole microseconds: sums of seconds are a hair off, and a call at the window's very end would slip through.
        now, at, window = (_micros(s) for s in (situation.elapsed, situation.elapsed + latency, limit.per_seconds))
        admitted = self._admitted.setdefault((situation.target.name, situation.point.scope), [])
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
