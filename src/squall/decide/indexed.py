"""Which rules there are for a call: looked up by its target and, on the model wire, by the name of the model.

So a call pays for the rules that are for it, however many there are for others. Knows no seed, no count and no clock.
"""

from __future__ import annotations

from typing import NamedTuple

from squall.decide.decision import Situation
from squall.decide.rule import Latency, RateLimit, Rule, Rules

OTHER = None
"""Stands for every model that no entry names."""


class Entries(NamedTuple):
    """Those for one target and model, in the order written; of latencies and limits the last, for that one holds.

    `always` are rules that neither draw nor count, `chosen` the rest.
    """

    latency: Latency | None
    always: tuple[Rule, ...]
    limit: RateLimit | None
    chosen: tuple[Rule, ...]


class Index:
    """The entries of a plan."""

    def __init__(self, rules: Rules) -> None:
        entries: tuple[Rule | Latency | RateLimit, ...] = (*rules.faults, *rules.latencies, *rules.limits)
        self._rules = rules
        self._models = frozenset(model for entry in entries for model in (*entry.models, *entry.other_than))
        self._found: dict[tuple[str, str | None], Entries] = {}

    def of(self, situation: Situation) -> Entries:
        """What there is for a call."""
        model = situation.args.get("model") if self._models else OTHER
        if not isinstance(model, str) or model not in self._models:
            model = OTHER
        key = situation.target.name, model
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._entries(*key)
        return found

    def _entries(self, target: str, model: str | None) -> Entries:
        rules = self._rules
        faults = [rule for rule in rules.faults if _is_for(rule, target, model)]
        latencies = [latency for latency in rules.latencies if _is_for(latency, target, model)]
        limits = [limit for limit in rules.limits if _is_for(limit, target, model)]
        return Entries(
            latency=latencies[-1] if latencies else None,
            always=tuple(rule for rule in faults if not (rule.drawn or rule.counted)),
            limit=limits[-1] if limits else None,
            chosen=tuple(rule for rule in faults if rule.drawn or rule.counted),
        )


def _is_for(entry: Rule | Latency | RateLimit, target: str, model: str | None) -> bool:
    return target in entry.targets and model not in entry.other_than and (not entry.models or model in entry.models)
