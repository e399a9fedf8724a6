"""`squall schema`: JSON Schemas that take what the loader takes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it comes without stubs
import pytest

from squall.documents import load

SHOP = Path(__file__).parents[2] / "examples" / "shop" / "worlds" / "shop.yaml"


@pytest.fixture
def schema(squall):
    def of(kind):
        done = squall("schema", kind)
        assert (done.status, done.err) == (0, "")
        found = json.loads(done.out)
        assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        jsonschema.Draft202012Validator.check_schema(found)
        return jsonschema.Draft202012Validator(found)

    return of


def test_the_schema_of_worlds_takes_the_example(schema):
    schema("world").validate(load(SHOP).data)


@pytest.mark.parametrize(
    "world", [{"services": 5}, {"servics": {}}, {"services": {"a": {"operations": {"b": {"kind": "gett"}}}}}]
)
def test_the_schema_of_worlds_refuses_what_is_wrong(schema, world):
    assert not schema("world").is_valid(world)


PLANS = {
    "block": load(SHOP).data["faults"],
    "file": {"faults": load(SHOP).data["faults"], "limits": {"seconds": "10m", "calls": 5}, "wall_cap": 1},
    "long": [{"target": "payments.issue_refund", "kind": "timeout", "nth": 1, "phase": "late", "late_by": "5s"}],
    "mixed": {"payments.*": [{"kind": "hang", "first": 2}], "default": {"latency_ms": [1, 2], "rules": []}},
    "limit": {"faults": {"a.b": {"rate_limit": {"calls": 5, "per_seconds": 60}}}},
}


@pytest.mark.parametrize("plan", PLANS)
def test_the_schema_of_faults_takes_every_form(schema, plan):
    schema("faults").validate(PLANS[plan])


@pytest.mark.parametrize(
    "plan", [5, {"a.b": 5}, {"a.b": {"errors": {"timeout": 2}}}, [{"target": "a.b"}], {"a.b": {"latency": 5}}]
)
def test_the_schema_of_faults_refuses_what_is_wrong(schema, plan):
    assert not schema("faults").is_valid(plan)


def test_an_unknown_kind_of_file_is_wrong_input(squall):
    done = squall("schema", "wrld")
    assert done.status == 2
    assert "'wrld' is not one of 'world', 'faults'" in done.err


LAB = Path(__file__).parents[2] / "scenarios"


@pytest.mark.parametrize("path", sorted(LAB.glob("**/*.toml")), ids=lambda path: path.stem)
def test_the_schema_of_a_scenario_takes_those_of_the_lab(schema, path):
    kind = "script" if path.parent.name == "scripts" else "scenario"
    schema(kind).validate(load(path).data)


@pytest.mark.parametrize(
    "data",
    [
        {"steps": []},
        {"scenario": {}},
        {"scenario": {"name": "a"}, "steps": [{"tol": "x"}]},
        {"scenario": {"name": "a"}, "steps": [{"tool": "x"}], "faults": [{"step": 0}]},
        {"scenario": {"name": "a"}, "steps": [{"tool": "x"}], "expect": {"status": "done"}},
        {"scenario": {"name": "a"}, "world": ""},
    ],
)
def test_the_schema_of_a_scenario_refuses_what_is_wrong(schema, data):
    assert not schema("scenario").is_valid(data)


SCRIPTS = {
    "turns": {"turn": [{"call": "f", "arguments": {"id": "1"}}, {"expect": {"tool": "f"}, "say": "done"}]},
    "rules": {"rule": [{"when": {"user": {"matches": "re.*"}}, "then": {"say": "x"}}], "sentinels": ["4111"]},
    "handler": {"handler": "brains.answer", "strict_history": False, "models": ["gpt-5"]},
}
SCENARIOS = {
    "keys": {"models": {"m": {"status": 503, "recover_after": 2}}, "sentinels": ["a", "b"]},
    "rules": {"models": {"m": {"kind": "embedding", "faults": [{"kind": "http_429", "nth": 3}]}}},
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_schema_of_scripts_takes_every_form(schema, name):
    schema("script").validate(SCRIPTS[name])


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_schema_of_scenarios_takes_every_form(schema, name):
    schema("scenarios").validate(SCENARIOS[name])


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("script", {"turn": [{"sai": "x"}]}),
        ("script", {"turn": []}),
        ("scenarios", {"models": {"m": {"status": 200}}}),
        ("scenarios", {"models": {"m": {"delay_seconds": 61}}}),
        ("scenarios", {"models": {"m": {"statuss": 500}}}),
    ],
)
def test_the_schemas_of_what_models_say_and_do_refuse_what_is_wrong(schema, kind, data):
    assert not schema(kind).is_valid(data)
