"""Faults over a world and a model: rules of an ordinary plan, each with its place in the scenario."""

from __future__ import annotations

import pytest

from tests.runs.scenario.texts import HEAD, LARGE, fault

PAY = "payments.issue_refund"
ONLY_WORLD = 'world = "world.yaml"\n' + HEAD
ONLY_MODEL = 'provider = "script.toml"\n' + HEAD


def test_rules_are_those_of_a_plan(lab):
    text = LARGE + fault("timeout", target=PAY, nth=1, times=2) + fault("http_503", target="model.chat", first=1)
    rules = lab.load(text).plan.rules.faults
    assert [(each.kind, each.targets, each.nth, each.times, each.first) for each in rules] == [
        ("timeout", (PAY,), 1, 2, None),
        ("http_503", ("model.chat",), None, None, 1),
    ]


def test_drawn_rules_latencies_and_rate_limits_are_possible(lab):
    text = LARGE + fault("http_503", target=PAY, probability=0.5)
    text += fault("latency_ms", target="default", ms=20) + fault("rate_limit", target=PAY, calls=2, per_seconds=60)
    rules = lab.load(text).plan.rules
    assert [len(each) for each in (rules.faults, rules.latencies, rules.limits)] == [1, 1, 1]


def test_a_rule_stands_where_the_fault_does(lab):
    plan = lab.load(LARGE + fault("timeout", target=PAY, nth=1) + fault("hang", target=PAY, nth=2)).plan
    assert [plan.where[number].rpartition("/")[2] for number in (0, 1)] == ["scenario.toml:7:1", "scenario.toml:12:1"]


@pytest.mark.parametrize(
    ("one", "problem"),
    [
        (fault("tiemout", target=PAY, nth=1), "8:8: unknown kind of fault 'tiemout'; did you mean 'timeout'?"),
        (fault("timeout", target="payments.isue_refund"), "9:10: unknown target 'payments.isue_refund'; did you mean"),
        (fault("timeout", target="issue_refund", nth=1), "9:10: unknown target 'issue_refund'; did you mean"),
        (fault("timeout", target="model.cat", nth=1), "9:10: unknown target 'model.cat'; did you mean 'model.chat'?"),
        (fault("timeout", nth=1), "7:1: this rule has no target"),
        (fault("refusal", target=PAY, nth=1), "8:8: refusal could never fire: it is a fault of the model wire"),
        (
            fault("stale_read", target="model.chat", nth=1),
            "8:8: stale_read could never fire: it is a fault of the tool",
        ),
        (fault("stale_memory", target=PAY, nth=1), "8:8: unknown kind of fault 'stale_memory'"),
        (fault("timeout", target=PAY, nth=0), "10:7: 'nth' must be greater than or equal to 1, not 0"),
        (fault("timeout", target=PAY, first=1, every=2), "7:1: this rule chooses in more than one way: first, every"),
        (fault("timeout", target=PAY, nth=1001), "10:7: timeout could never fire: it waits for call 1001, and limits"),
        (fault("timeout", target=PAY, step=0), "10:1: 'step' counts steps, and there are none"),
        (fault("timeout", target=PAY, occurrence=2), "10:1: 'occurrence' counts steps, and there are none"),
    ],
)
def test_a_rule_that_could_never_fire_is_refused(lab, one, problem):
    (wrong,) = lab.wrong_with(LARGE + one)
    assert wrong.startswith(f"scenario.toml:{problem}")


def test_rules_are_held_against_each_other(lab):
    text = LARGE + fault("timeout", target=PAY, first=3) + fault("http_503", target=PAY, nth=2)
    (wrong,) = lab.wrong_with(text)
    assert "http_503 could never fire: timeout (" in wrong


def test_a_fault_that_could_not_be_read_hides_no_other(lab):
    text = LARGE + fault("timeout", target=PAY, phase="sometimes") + fault("tiemout", target=PAY, nth=1)
    wrong = lab.wrong_with(text)
    assert [each.partition(": ")[0] for each in wrong] == ["scenario.toml:10:9", "scenario.toml:13:8"]


@pytest.mark.parametrize("target", ["model.chat", "model.*", "gpt-5"])
def test_faults_at_a_model_need_one(lab, target):
    (wrong,) = lab.wrong_with(ONLY_WORLD + fault("http_503", target=target, nth=1))
    assert wrong == "scenario.toml:7:10: http_503 could never fire: it is at the model, and there is no provider"
    lab.load(LARGE + fault("http_503", target=target, nth=1))


@pytest.mark.parametrize("kind", ["rate_limit", "latency_ms"])
def test_weather_at_a_model_needs_one_too(lab, kind):
    more = {"rate_limit": {"calls": 1, "per_seconds": 9}, "latency_ms": {"ms": 5}}[kind]
    (wrong,) = lab.wrong_with(ONLY_WORLD + fault(kind, target="model.chat", **more))
    assert wrong.endswith("it is at the model, and there is no provider")


@pytest.mark.parametrize("target", [PAY, "default", "payments.*"])
def test_faults_at_tools_need_a_world(lab, target):
    (wrong,) = lab.wrong_with(ONLY_MODEL + fault("timeout", target=target, nth=1))
    assert wrong.startswith("scenario.toml:7:10: timeout could never fire: ")
    assert wrong.endswith("and there is no world")
    lab.load(ONLY_MODEL + fault("timeout", target="model.chat", nth=1))


def test_a_rule_at_both_wires_needs_both(lab):
    text = f'\n[[faults]]\nkind = "http_503"\ntarget = ["{PAY}", "model.chat"]\nnth = 1\n'
    assert len(lab.load(LARGE + text).plan.rules.faults) == 2
    assert lab.wrong_with(ONLY_WORLD + text)
    assert lab.wrong_with(ONLY_MODEL + text)
