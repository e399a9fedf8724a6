"""Asks a kind what is to happen, without anything happening."""

from __future__ import annotations

from typing import Any

import pytest

from squall.call import Outcome
from squall.decide import Rule
from squall.faults import Action, Kind, Plan


class Trial:
    """Tries kinds out on the targets of the shop."""

    def __init__(self, shop: Any) -> None:
        self._shop = shop

    def act(self, kind: Kind, /, target: str = "orders.get_order", draw: float = 0.0, **params: Any) -> Action:
        """The action of `kind` for parameters as a plan would give them; every draw is `draw`."""
        return kind.act(kind.params.model_validate(params), lambda _name: draw, self._shop.target(target))

    def changed(
        self, kind: Kind, outcome: Any, /, *, form: Any = "value", draw: float = 0.0, **params: Any
    ) -> Outcome | None:
        """What the kind makes of an operation's outcome; None where it does not fire."""
        change = self.act(kind, draw=draw, **params).change
        assert change is not None
        return change(Outcome(form, outcome))

    def example(self, kind: Kind) -> Rule:
        """The rule in the kind's documented example."""
        plan: Plan = self._shop.read(kind.example)
        (rule,) = plan.rules.faults
        assert rule.kind == kind.name
        return rule


@pytest.fixture
def trial(shop) -> Trial:
    return Trial(shop)
