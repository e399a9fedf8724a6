"""A plan: the rules of a file's `faults:` block, resolved against the targets of one world, with what each is to do.

Knows targets by their neutral description only (`squall.call.Target`), never a world.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from squall.canonical import digest, digest_bytes, dumps
from squall.decide import Latency, RateLimit, Rule, Rules
from squall.faults.at_model import SLOTS, Slot
from squall.faults.kind import Kind, Params

DEFAULT_SECONDS = 3600.0
DEFAULT_CALLS = 1000
DEFAULT_WALL_CAP = 2.0
SHOWN = 2  # targets of a rule that a sentence names

Entry = Rule | Latency | RateLimit


class Limits(msgspec.Struct, frozen=True):
    """What ends a run that does not end by itself: virtual seconds, calls, and tokens of models where that is said."""

    seconds: float = DEFAULT_SECONDS
    calls: int = DEFAULT_CALLS
    tokens: int | None = None


class Bound(msgspec.Struct, frozen=True):
    """A rule's kind with its parameters."""

    kind: Kind
    params: Params


class Plan(msgspec.Struct, frozen=True):
    """Rules in the order written, and by each rule's id its kind and parameters.

    `described` is the plan as the trace holds it; `digest` is over that. `where` says, per rule id, where it stands.
    `on_trust` are the targets that nobody could check, and whose rules are therefore not in it.
    """

    rules: Rules = Rules()
    bound: Mapping[int, Bound] = {}
    limits: Limits = Limits()
    wall_cap: float = DEFAULT_WALL_CAP
    described: tuple[dict[str, Any], ...] = ()
    digest: str | None = None
    where: Mapping[int, str] = {}
    on_trust: tuple[str, ...] = ()

    @property
    def drawn(self) -> bool:
        """Whether any rule is drawn; such faults may stay away without that being a failure."""
        return any(rule.drawn for rule in self.rules.faults)

    def sentence(self, rule_id: int) -> str:
        """One rule for people: `timeout at payments.issue_refund (nth 1), plan.yaml:3:5`. IndexError for no rule."""
        rule = self.rule(rule_id)
        names = ("probability", "nth", "times", "first", "every")
        counts = ", ".join(f"{name} {value:g}" for name in names if (value := getattr(rule, name)) is not None)
        places = rule.models or rule.targets
        targets = ", ".join(places[:SHOWN]) + (" …" if len(places) > SHOWN else "")
        place = self.where.get(rule_id)
        return f"{rule.kind} at {targets}" + (f" ({counts})" if counts else "") + (f", {place}" if place else "")

    def rule(self, rule_id: int) -> Rule:
        """The rule with this id. IndexError where there is none."""
        for rule in self.rules.faults:
            if rule.id == rule_id:
                return rule
        raise IndexError(rule_id)

    def of_wire(self, wire: Literal["tool", "model"]) -> Plan:
        """The part that one side decides by: `model`, or `tool` with sessions and events. Rules keep their ids."""
        return self._part(lambda entry: (self._wire(entry) == "model") == (wire == "model"))

    def slots(self) -> dict[Slot, Rules]:
        """The rules of the model wire by slot, slots without any left out. Latencies and limits go with `answer`."""
        found: dict[Slot, Rules] = {}
        for slot in SLOTS:
            rules = self._chosen(lambda entry, slot=slot: self._slot(entry) == slot)  # type: ignore[misc]  # bound now
            if rules != Rules():
                found[slot] = rules
        return found

    def extended(self, other: Plan) -> Plan:
        """This plan with another's rules after its own, whose ids go on counting. Limits stay this one's."""
        return self.beside(other.numbered_from(1 + max((rule.id for rule in self.rules.faults), default=-1)))

    def beside(self, other: Plan) -> Plan:
        """This plan with another's rules after its own, all with the ids that they have. Limits stay this one's."""
        return plan_of(
            Rules(
                (*self.rules.faults, *other.rules.faults),
                (*self.rules.latencies, *other.rules.latencies),
                (*self.rules.limits, *other.rules.limits),
            ),
            {**self.bound, **other.bound},
            limits=self.limits,
            wall_cap=self.wall_cap,
            where={**self.where, **other.where},
            on_trust=tuple(dict.fromkeys((*self.on_trust, *other.on_trust))),
        )

    def numbered_from(self, start: int) -> Plan:
        """The same plan, whose rules have their ids from `start` on."""
        faults = tuple(replace(rule, id=rule.id + start) for rule in self.rules.faults)
        return plan_of(
            replace(self.rules, faults=faults),
            {number + start: bound for number, bound in self.bound.items()},
            limits=self.limits,
            wall_cap=self.wall_cap,
            where={number + start: place for number, place in self.where.items()},
            on_trust=self.on_trust,
        )

    def but_for(self, ids: Collection[int]) -> Plan:
        """This plan without the rules of these ids."""
        return self._part(lambda entry: not (isinstance(entry, Rule) and entry.id in ids))

    def models(self) -> frozenset[str] | None:
        """The names of the models that its rules are for; None where they may be for any."""
        entries: tuple[Entry, ...] = (*self.rules.faults, *self.rules.latencies, *self.rules.limits)
        named = [entry.models for entry in entries]
        return frozenset().union(*named) if all(named) else None

    def _wire(self, entry: Entry) -> str:
        return self.bound[entry.id].kind.wire if isinstance(entry, Rule) else entry.wire

    def _slot(self, entry: Entry) -> Slot | None:
        if isinstance(entry, Rule):
            return self.bound[entry.id].kind.slot
        return "answer" if entry.wire == "model" else None

    def _chosen(self, belongs: Callable[[Entry], bool]) -> Rules:
        whole = self.rules
        return Rules(
            tuple(rule for rule in whole.faults if belongs(rule)),
            tuple(latency for latency in whole.latencies if belongs(latency)),
            tuple(limit for limit in whole.limits if belongs(limit)),
        )

    def _part(self, belongs: Callable[[Entry], bool]) -> Plan:
        rules = self._chosen(belongs)
        if rules == self.rules:
            return self
        bound = {rule.id: self.bound[rule.id] for rule in rules.faults}
        where = {rule.id: self.where[rule.id] for rule in rules.faults if rule.id in self.where}
        return plan_of(rules, bound, limits=self.limits, wall_cap=self.wall_cap, where=where)


def plan_of(
    rules: Rules,
    bound: Mapping[int, Bound],
    *,
    limits: Limits,
    wall_cap: float,
    where: Mapping[int, str],
    on_trust: tuple[str, ...] = (),
) -> Plan:
    """The plan of these rules, described and digested."""
    described = tuple(map(described_rule, rules.faults))
    whole = {
        "faults": described,
        "latencies": [msgspec.to_builtins(entry) for entry in rules.latencies],
        "limits": [msgspec.to_builtins(entry) for entry in rules.limits],
    }
    return Plan(rules, bound, limits, wall_cap, described, digest(whole), where, on_trust)


def plan_of_faults(
    rules: Sequence[Rule], bound: Mapping[int, Bound], described: Sequence[Described], *, limits: Limits
) -> Plan:
    """The same for rules of faults alone that were described before: for who makes many plans of the same few rules."""
    fields = tuple(each.fields for each in described)
    whole = b'{"faults":[%b],"latencies":[],"limits":[]}' % b",".join(each.written for each in described)
    return Plan(Rules(tuple(rules)), bound, limits, DEFAULT_WALL_CAP, fields, digest_bytes(whole))


class Described(NamedTuple):
    """A rule as the trace holds it, and its canonical form."""

    fields: dict[str, Any]
    written: bytes

    @classmethod
    def of(cls, rule: Rule) -> Described:
        """The description of a rule."""
        fields = described_rule(rule)
        return cls(fields, dumps(fields))


def described_rule(rule: Rule) -> dict[str, Any]:
    """A rule as the trace holds it: only what is set, in JSON's own types."""
    fields = _plain(msgspec.to_builtins(rule))
    if rule.when is not None:
        fields["when"] = _set(fields["when"])
    return _set(fields)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _set(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None and value not in ({}, [])}


CALM = Plan()
"""The plan under which nothing happens."""
