"""A plan: the rules of a file's `faults:` block, resolved against the targets of one world, with what each is to do.

Knows targets by their neutral description only (`squall.call.Target`), never a world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.decide import Rules
from squall.faults.kind import Kind, Params

DEFAULT_SECONDS = 3600.0
DEFAULT_CALLS = 1000
DEFAULT_WALL_CAP = 2.0
SHOWN = 2  # targets of a rule that a sentence names


class Limits(msgspec.Struct, frozen=True):
    """What ends a run that does not end by itself: virtual seconds, and calls."""

    seconds: float = DEFAULT_SECONDS
    calls: int = DEFAULT_CALLS


class Bound(msgspec.Struct, frozen=True):
    """A rule's kind with its parameters."""

    kind: Kind
    params: Params


class Plan(msgspec.Struct, frozen=True):
    """Rules in the order written, and by each rule's id its kind and parameters.

    `described` is the plan as the trace holds it; `digest` is over that. `where` says, per rule id, where it stands.
    """

    rules: Rules = Rules()
    bound: Mapping[int, Bound] = {}
    limits: Limits = Limits()
    wall_cap: float = DEFAULT_WALL_CAP
    described: tuple[dict[str, Any], ...] = ()
    digest: str | None = None
    where: Mapping[int, str] = {}

    @property
    def drawn(self) -> bool:
        """Whether any rule is drawn; such faults may stay away without that being a failure."""
        return any(rule.drawn for rule in self.rules.faults)

    def sentence(self, rule_id: int) -> str:
        """One rule for people: `timeout at payments.issue_refund (nth 1), plan.yaml:3:5`. IndexError for no rule."""
        rule = self.rules.faults[rule_id]
        names = ("probability", "nth", "times", "first", "every")
        counts = ", ".join(f"{name} {value:g}" for name in names if (value := getattr(rule, name)) is not None)
        targets = ", ".join(rule.targets[:SHOWN]) + (" …" if len(rule.targets) > SHOWN else "")
        place = self.where.get(rule_id)
        return f"{rule.kind} at {targets}" + (f" ({counts})" if counts else "") + (f", {place}" if place else "")


CALM = Plan()
"""The plan under which nothing happens."""
