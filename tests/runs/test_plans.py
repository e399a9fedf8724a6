"""Plans are parsed once per process and world, and again when a file or the world is another."""

from __future__ import annotations

import pytest

from squall import UsageError
from squall.runs import plans
from squall.runs.environment import Environment
from squall.runs.plans import plan_for
from squall.worlds import World

RULE = {"target": "till.sell", "kind": "timeout", "nth": 1}


@pytest.fixture
def world(till):
    return World.load(till)


@pytest.fixture
def plan_file(tmp_path):
    path = tmp_path / "plan.yaml"
    path.write_text("faults: [{ target: till.sell, kind: timeout, nth: 1 }]\n", encoding="utf-8")
    return path


def test_equal_data_is_one_plan(world):
    assert plan_for([RULE], world) is plan_for([dict(RULE)], world)
    assert plan_for([RULE], world) is not plan_for([{**RULE, "nth": 2}], world)


def test_a_file_is_one_plan_until_it_changes(world, plan_file):
    first = plan_for(plan_file, world)
    assert plan_for(str(plan_file), world) is first
    plan_file.write_text("faults: [{ target: till.sell, kind: hang, nth: 12 }]\n", encoding="utf-8")
    assert plan_for(plan_file, world).rules.faults[0].kind == "hang"


def test_another_world_has_another_plan(world, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(
        "services: { till: { records: { sale: {} }, operations: { sell: { kind: delete, record: sale } } } }\n",
        encoding="utf-8",
    )
    assert plan_for([RULE], World.load(other)) is not plan_for([RULE], world)


def test_data_without_a_canonical_form_is_parsed_and_says_what_is_wrong(world):
    with pytest.raises(UsageError, match="nth"):
        plan_for([{**RULE, "nth": object()}], world)


def test_the_memory_of_plans_is_bounded(world, monkeypatch):
    monkeypatch.setattr(plans, "MOST", 3)
    monkeypatch.setattr(plans, "_plans", {})
    for nth in range(1, 10):
        plan_for([{**RULE, "nth": nth}], world)
        assert len(plans._plans) <= 3


def test_what_a_test_does_to_its_rules_afterwards_changes_no_run(till):
    rules = [dict(RULE)]
    run = Environment(till, faults=rules)
    rules[0]["kind"] = "hang"
    assert run.plan.rules.faults[0].kind == "timeout"


def test_rules_for_models_need_no_world():
    plan = plan_for([{"target": "model.chat", "kind": "timeout", "nth": 1}], None)
    assert plan.rules.faults[0].targets == ("model.chat",)
    with pytest.raises(UsageError, match="these faults need a world to happen in"):
        plan_for([{"target": "model.chat", "kind": "timeout", "nth": 1}, RULE], None)


def test_one_plan_may_be_for_a_world_and_for_models(world):
    plan = plan_for([RULE, {"target": "gpt-5-mini", "kind": "clean_eof", "nth": 1}], world)
    assert [rule.kind for rule in plan.of_wire("tool").rules.faults] == ["timeout"]
    assert [rule.kind for rule in plan.of_wire("model").rules.faults] == ["clean_eof"]
