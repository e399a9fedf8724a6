"""The scenarios that come with squall do what they are for: they tell strategies apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from squall.documents import load
from squall.runs.lab import inputs_of, run_one
from squall.runs.scenario import is_scenario, load_scenario
from squall.runs.strategies.finding import strategy_named

FOLDER = Path(__file__).parents[3] / "scenarios"
CLASSIC = ("timeout", "provider-error", "malformed-output", "partial-stream", "stale-memory", "repeated-call")
HARMLESS = {"provider-error", "partial-stream"}
"""Where trying again blindly is right."""
COMBINED = sorted((FOLDER / "combined").glob("*.toml"))
ALL = [*(FOLDER / f"{name}.toml" for name in CLASSIC), *COMBINED]


def record(path, strategy):
    scenario = load_scenario(path)
    chosen = strategy_named(strategy)
    return run_one(scenario, chosen, inputs_of(scenario, chosen, seed=scenario.seed)).record


def test_there_is_one_for_each_classic_kind_and_nothing_else():
    assert sorted(path.stem for path in FOLDER.glob("*.toml")) == sorted(CLASSIC)
    for name in CLASSIC:
        kinds = [each["kind"] for each in load(FOLDER / f"{name}.toml").data["faults"]]
        assert kinds == [name.replace("-", "_")]


def test_those_over_both_wires_stand_in_a_folder_with_their_worlds_and_scripts():
    assert len(COMBINED) >= 4
    assert all(is_scenario(load(path).data) for path in COMBINED)
    for path in COMBINED:
        scenario = load_scenario(path)
        assert scenario.world is not None
        assert scenario.provider is not None


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_scenario_is_named_after_its_file_and_says_what_it_is_about(path):
    scenario = load_scenario(path)
    assert scenario.name == path.stem
    assert len(scenario.description) > 30
    assert scenario.task.text
    assert 2 <= len(scenario.spec.steps) <= 4 or path in COMBINED


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_the_resilient_strategy_meets_what_is_expected_in_spite_of_every_fault(path):
    run = record(path, "resilient")
    assert (run.met, run.status, run.reasons) == (True, "passed", ())
    assert run.metrics.recovered
    assert all(each.fired for each in run.faults)
    assert run.metrics.duplicate_effects == 0


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_who_gives_up_at_once_fails_but_where_giving_up_is_right(path):
    run = record(path, "baseline")
    assert run.met == (path.stem == "three-in-a-row")
    assert any(each.fired for each in run.faults)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_who_tries_everything_again_blindly_fails_wherever_that_does_harm(path):
    run = record(path, "careless")
    assert run.met == (path.stem in HARMLESS)
    twice = {"timeout", "malformed-output", "repeated-call", "overloaded-and-lost", "broken-stream-late-booking"}
    assert (run.metrics.duplicate_effects > 0) == (path.stem in twice | {"within-policy", "rent-transfer"})
