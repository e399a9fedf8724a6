"""Asks a kind what is to happen, without anything happening."""

from __future__ import annotations

from typing import Any

import pytest

from squall.call import MODEL_TARGETS, ModelRequest, Outcome, Reply, ToolOffer
from squall.decide import Rule
from squall.faults import Action, Kind, Plan

MODELS = {target.name: target for target in MODEL_TARGETS.values()}
TOOL = ToolOffer(
    "get_order",
    schema={
        "type": "object",
        "properties": {"order_id": {"type": "string"}, "lines": {"type": "integer"}},
        "required": ["order_id"],
        "additionalProperties": False,
    },
)
REQUEST = ModelRequest("chat", "gpt-5-mini", tools=(TOOL,))


class Trial:
    """Tries kinds out on the targets of the shop, or of models."""

    def __init__(self, shop: Any) -> None:
        self._shop = shop

    def act(self, kind: Kind, /, target: str = "orders.get_order", draw: float = 0.0, **params: Any) -> Action:
        """The action of `kind` for parameters as a plan would give them; every draw is `draw`."""
        action: Action = kind.act(kind.params.model_validate(params), lambda _name: draw, self._shop.target(target))
        return action

    def at_model(self, kind: Kind, /, target: str = "", draw: float = 0.0, **params: Any) -> Any:
        """The action of a kind of the model wire, at the first target that it is for unless another one is named."""
        assert kind.wire == "model"
        return kind.act(kind.params.model_validate(params), lambda _name: draw, MODELS[target or kind.targets[0]])

    def said(
        self, kind: Kind, reply: Reply, /, request: ModelRequest = REQUEST, draw: float = 0.0, **params: Any
    ) -> Reply | None:
        """What the kind makes of what a model says; None where it does not fire."""
        found: Reply | None = self.at_model(kind, draw=draw, **params).change(reply, request)
        return found

    def vectors(self, kind: Kind, vectors: Any, /, draw: float = 0.0, **params: Any) -> Any:
        """What the kind makes of vectors; None where it does not fire."""
        return self.at_model(kind, draw=draw, **params).change(vectors)

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
        assert plan.bound[rule.id].kind.wire == kind.wire
        return rule


@pytest.fixture
def trial(shop) -> Trial:
    return Trial(shop)
