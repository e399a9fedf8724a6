"""The weather of a scenarios file as a plan: models and kinds of fault meet here, which know nothing of each other."""

from __future__ import annotations

from collections.abc import Iterator

from squall.call import EMBEDDINGS, MODEL_TARGETS
from squall.errors import Problem, UsageError, shown
from squall.faults import Plan, kind_named, parse_plan
from squall.models import Scenarios


def plan_of(scenarios: Scenarios) -> Plan:
    """The plan. Raises UsageError with every problem, rules that their model could never meet among them."""
    plan = parse_plan(scenarios.weather, tuple(MODEL_TARGETS.values()), scenarios.models)
    problems = list(_never(scenarios))
    if problems:
        raise UsageError(problems)
    return plan


def _never(scenarios: Scenarios) -> Iterator[Problem]:
    for name, rules in scenarios.weather.data["faults"].items():
        embeds = scenarios.models[name].embeds
        for number, rule in enumerate(rules):
            kind = kind_named(rule["kind"], "model")
            if kind is not None and not any((target == EMBEDDINGS) == embeds for target in kind.targets):
                at = scenarios.weather.at(("faults", name, number, "kind"))
                what = "makes embeddings" if embeds else "makes none"
                message = f"{kind.name} can never happen to the model {shown(name)}, which {what}"
                whose = "models that chat" if embeds else 'kind = "embedding"'
                yield Problem(message, at, hint=f"Take it out: it is for {whose} alone.")
