"""A scenario in each of the formats, and what it is made of."""

from __future__ import annotations

import json
import math

import pytest

from squall.documents import parse
from squall.errors import UsageError
from squall.runs.scenario import Step, is_scenario, load_scenario, scenario_from
from tests.runs.scenario.texts import LARGE, STEPPED, fault

YAML = """\
scenario: { name: pay, description: An invoice., seed: 5 }
task: Pay invoice 311.
steps:
  - { tool: get_invoice, arguments: { invoice: "311" }, result: { due: 12.5 }, writes: false }
  - tool: pay
    arguments: { invoice: "311", amount: 12.5, on: 2025-06-01 }
    result: null
faults:
  - { kind: provider_error, step: 1, retry_after: 2s }
expect: { answer_contains: [due] }
"""
JSON = {
    "scenario": {"name": "pay", "description": "An invoice.", "seed": 5, "task": "Pay invoice 311."},
    "steps": [
        {"tool": "get_invoice", "arguments": {"invoice": "311"}, "result": {"due": 12.5}, "writes": False},
        {"tool": "pay", "arguments": {"invoice": "311", "amount": 12.5, "on": "2025-06-01"}, "result": None},
    ],
    "faults": [{"kind": "provider_error", "step": 1, "retry_after": "2s"}],
    "expect": {"answer_contains": ["due"]},
}
TOML = """\
[scenario]
name = "pay"
description = "An invoice."
seed = 5
task = "Pay invoice 311."

[[steps]]
tool = "get_invoice"
arguments = { invoice = "311" }
result = { due = 12.5 }
writes = false

[[steps]]
tool = "pay"
arguments = { invoice = "311", amount = 12.5, on = 2025-06-01 }

[[faults]]
kind = "provider_error"
step = 1
retry_after = "2s"

[expect]
answer_contains = ["due"]
"""
FORMS = {"pay.yaml": YAML, "pay.json": json.dumps(JSON), "pay.toml": TOML}


@pytest.mark.parametrize("name", FORMS)
def test_a_scenario_is_the_same_in_each_format(lab, name):
    scenario = lab.load(FORMS[name], name)
    assert (scenario.name, scenario.description, scenario.seed) == ("pay", "An invoice.", 5)
    assert scenario.task.text == "Pay invoice 311."
    assert scenario.task.steps == (
        Step(0, "get_invoice", {"invoice": "311"}, writes=False),
        Step(1, "pay", {"invoice": "311", "amount": 12.5, "on": "2025-06-01"}),
    )
    (rule,) = scenario.plan.rules.faults
    assert (rule.kind, rule.targets, rule.nth, rule.times) == ("http_503", ("step1.pay",), 1, 1)
    assert rule.params == {"retry_after": 2.0}
    assert scenario.data["steps"][1]["arguments"]["on"] == "2025-06-01"  # a day is a text, in every format


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("strategy", ["baseline", "resilient"])
def test_it_runs_the_same_in_each_format(lab, name, strategy):
    assert lab.run(lab.load(FORMS[name], name), strategy).record.met == (strategy == "resilient")


def test_the_large_form_has_a_world_and_a_script(lab):
    scenario = lab.load(LARGE)
    assert scenario.world == lab.folder / "world.yaml"
    assert scenario.provider == lab.folder / "script.toml"
    assert scenario.policy is None
    assert sorted(scenario.files) == ["script.toml", "world.yaml"]
    assert scenario.task.steps == ()
    assert scenario.spec.scenario.world == "world.yaml"  # wherever it stands in the file


def test_task_world_and_provider_may_stand_under_the_head(lab):
    moved = '[scenario]\nname = "pay"\ntask = "Refund order 7."\nworld = "world.yaml"\nprovider = "script.toml"\n'
    assert lab.load(moved).task == lab.load(LARGE).task
    assert lab.load(moved).files == lab.load(LARGE).files


def test_what_is_left_out_has_its_default(lab):
    spec = lab.load(STEPPED).spec
    assert (spec.scenario.seed, spec.scenario.task, spec.expect.status, spec.expect.steps) == (0, "", "completed", True)
    assert lab.load(STEPPED).plan.limits.seconds == 3600.0
    assert lab.load(STEPPED).plan.limits.calls == 1000
    assert lab.load(STEPPED).plan.limits.tokens is None


def test_limits_are_those_of_the_file(lab):
    limits = lab.load(f'{LARGE}\n[limits]\nsteps = 9\nseconds = "2m"\ntokens = 70\n').plan.limits
    assert (limits.calls, limits.seconds, limits.tokens) == (9, 120.0, 70)


def test_limits_hold_where_there_are_faults_too(lab):
    text = f"{LARGE}\n{fault('timeout', target='payments.issue_refund', nth=1)}\n[limits]\nsteps = 9\n"
    assert lab.load(text).plan.limits.calls == 9


def test_the_digest_is_of_what_the_file_says_and_names(lab):
    once = lab.load(LARGE).digest
    assert lab.load("# a comment\n" + LARGE).digest == once
    assert lab.load(LARGE.replace("order 7", "order 8")).digest != once
    lab.write("script.toml", '[[turn]]\nsay = "no"\n')
    assert lab.load(LARGE).digest != once


@pytest.mark.parametrize("data", [None, [], "scenario", {"scenario": "x"}, {"steps": []}])
def test_other_data_are_no_scenario(data):
    assert not is_scenario(data)


def test_the_data_of_a_file_are_a_scenario(lab):
    assert is_scenario(parse(STEPPED, format="toml", name="x").data)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('[scenarios]\nname = "x"\n', "Is 'scenarios' meant?"),
        ("[[steps]]\ntool = 'x'\n", "Begin it with [scenario]"),
    ],
)
def test_a_file_without_a_head_is_refused_with_what_is_near(lab, text, hint):
    told = lab.told(text)
    assert "scenario.toml:1:1: this is no scenario: it has no [scenario] table" in told
    assert hint in told


def test_a_head_that_is_no_table_is_refused(lab):
    assert lab.wrong_with('scenario = "pay"\n') == ["scenario.toml:1:12: 'scenario' is 'pay', and no table"]


def test_a_list_is_no_scenario(lab):
    assert lab.wrong_with("[1, 2]", "x.json") == ["x.json:1:1: this is no scenario: it has no [scenario] table"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[scenario]\nname = "a"\nname = "b"\n', "'name' stands here twice"),
        ("[scenario\n", "this is not valid TOML"),
        ("", "the file is empty"),
        ("x" * (5 * 1024 * 1024), "the file is larger than 4 MB"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(lab, text, problem):
    assert problem in lab.told(text)


def test_a_missing_file_says_what_is_near(lab):
    lab.load(STEPPED)
    with pytest.raises(UsageError, match=r"there is no file .*scenaro.toml.*did you mean .*scenario.toml"):
        load_scenario(lab.folder / "scenaro.toml")


def test_a_stored_scenario_is_the_one_that_it_was_made_from(lab, tmp_path):
    scenario = lab.load(LARGE + fault("timeout", target="payments.issue_refund", nth=1))
    again = scenario_from(scenario.data, scenario.files, tmp_path / "elsewhere")
    assert again.digest == scenario.digest
    assert again.plan.digest == scenario.plan.digest
    assert again.task == scenario.task
    assert again.folder != scenario.folder


def test_what_was_stored_and_is_no_scenario_is_refused(tmp_path):
    with pytest.raises(UsageError, match="this is no scenario"):
        scenario_from({"steps": []}, {}, tmp_path)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_no_file_can_hold_never_gets_that_far(value, tmp_path):
    with pytest.raises(UsageError, match="is no JSON"):
        scenario_from({"scenario": {"name": "x"}, "steps": [{"tool": "t", "result": value}]}, {}, tmp_path)
