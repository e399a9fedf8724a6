"""Rules as they are decided over: where, when and how often, but not what a fault does.

Knows kinds of faults by name only; `faults/` turns what people write into these, `interpose/` acts on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.call import Wire
from squall.decide.same import ANY, Schema, same

Phase = str  # "before" | "after" | "late"
LATENCY = "latency_ms"  # the name under which a target's drawn latency is keyed


class When(msgspec.Struct, frozen=True):
    """Conditions on one call. `args` maps an argument to its allowed values; ages are in seconds."""

    args: Mapping[str, tuple[Any, ...]] = {}
    newer_than: float | None = None
    older_than: float | None = None

    def allows(self, name: str, args: Mapping[str, Any], schemas: Mapping[str, Schema]) -> bool:
        """Whether the argument has one of its values; one that is left out has its default, or else is null."""
        schema = schemas.get(name, ANY)
        given = args[name] if name in args else schema.get("default")
        return any(same(given, wanted, schema) for wanted in self.args[name])

    def allows_age(self, age: float | None) -> bool:
        """Whether a record is as old as it must be; None is the age where there is no record."""
        newer, older = self.newer_than, self.older_than
        if age is None:
            return newer is None and older is None
        return (newer is None or age < newer) and (older is None or age >= older)


class Rule(msgspec.Struct, frozen=True):
    """One fault that may happen. `id` is the rule's place in the plan; `targets` are full names.

    Exactly one way to choose: `probability` (drawn per point), or counted (`nth` with `times`; `first`; `every`), or
    neither, which fires at every call that meets `when`. On the model wire `models` are those it is for (none named:
    all), except for those in `other_than`; to a request for any other model it is not there at all.
    """

    id: int
    kind: str
    targets: tuple[str, ...]
    phase: Phase
    params: Mapping[str, Any] = {}
    probability: float | None = None
    nth: int | None = None
    times: int | None = None
    first: int | None = None
    every: int | None = None
    when: When | None = None
    scope: str | None = None
    models: tuple[str, ...] = ()
    other_than: tuple[str, ...] = ()

    @property
    def drawn(self) -> bool:
        """Whether a uniform number per point decides."""
        return self.probability is not None

    @property
    def counted(self) -> bool:
        """Whether arrivals are counted; such a rule is expected to fire."""
        return any(n is not None for n in (self.nth, self.times, self.first, self.every))

    def hits(self, number: int) -> bool:
        """Whether a counted rule fires at the `number`th matching call of its target and scope (from 1)."""
        if self.first is not None:
            return number <= self.first
        if self.every is not None:
            return number % self.every == 0
        start = self.nth or 1
        return start <= number < start + (self.times or 1)


class Latency(msgspec.Struct, frozen=True, omit_defaults=True):
    """Milliseconds that each call of the targets takes, drawn evenly from `low` to `high`; `models` as in a rule."""

    targets: tuple[str, ...]
    low: float
    high: float
    wire: Wire = "tool"
    models: tuple[str, ...] = ()
    other_than: tuple[str, ...] = ()


class RateLimit(msgspec.Struct, frozen=True, omit_defaults=True):
    """At most `calls` admitted calls per target and scope within any `per_seconds`. Deterministic."""

    targets: tuple[str, ...]
    calls: int
    per_seconds: float
    wire: Wire = "tool"
    models: tuple[str, ...] = ()
    other_than: tuple[str, ...] = ()


class Rules(msgspec.Struct, frozen=True):
    """What is decided over: all rules of a plan, in the order written."""

    faults: tuple[Rule, ...] = ()
    latencies: tuple[Latency, ...] = ()
    limits: tuple[RateLimit, ...] = ()
