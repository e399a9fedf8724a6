"""A scenario that is made again elsewhere, from what a run keeps of it, is the same, and so are its runs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squall.runs.lab import inputs_of, run_one
from squall.runs.scenario import load_scenario, scenario_from
from squall.runs.strategies.finding import strategy_named
from squall.store.record import decode, encode
from tests.runs.scenario.texts import LARGE, STEPPED, fault

SHIPPED = Path(__file__).parents[3] / "scenarios"
ALL = sorted([*SHIPPED.glob("*.toml"), *SHIPPED.glob("combined/*.toml")])


def run(scenario, name, seed=0):
    strategy = strategy_named(name)
    return run_one(scenario, strategy, inputs_of(scenario, strategy, seed=seed))


def again(ran, into):
    """The scenario that a stored run was made from, through the bytes of its `run.json`."""
    inputs = decode(encode(ran.record)).inputs
    return scenario_from(inputs.scenario, inputs.files, into)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_shipped_scenario_runs_the_same_from_what_its_run_keeps(path, tmp_path):
    scenario = load_scenario(path)
    for name in ("baseline", "careless", "resilient"):
        first = run(scenario, name, seed=scenario.seed)
        made = again(first, tmp_path / name)
        assert made.digest == scenario.digest
        second = run(made, name, seed=scenario.seed)
        assert second.lines == first.lines
        assert encode(second.record) == encode(first.record)


def test_it_runs_the_same_wherever_it_lies_and_from_wherever_it_is_named(tmp_path, monkeypatch):
    name = "three-in-a-row.toml"
    shutil.copytree(SHIPPED / "combined", tmp_path / "deep" / "er")
    first = run(load_scenario(SHIPPED / "combined" / name), "baseline")
    monkeypatch.chdir(tmp_path / "deep" / "er")
    for path in (name, f"./{name}", f"../er/{name}", tmp_path / "deep" / "er" / name):
        second = run(load_scenario(path), "baseline")
        assert (second.lines, encode(second.record)) == (first.lines, encode(first.record))
    assert first.record.notes[0].startswith("turn 3 of 3 (scripts/refund.toml:10:1)")


def test_what_a_script_has_no_turn_for_is_told_the_same_everywhere(lab, tmp_path):
    lab.write("script.toml", '[[turn]]\ncall = "list_refunds"\n\n[[turn]]\nexpect = { tool = "other" }\nsay = "done"\n')
    first = lab.run(LARGE)
    assert not first.record.met
    second = lab.run(again(first, tmp_path / "elsewhere"))
    assert second.lines == first.lines
    assert encode(second.record) == encode(first.record)


def test_a_brain_of_python_that_is_wrong_is_told_the_same_everywhere(lab, tmp_path):
    lab.write("brain.py", "def answer(request):\n    return 7\n")
    lab.write("script.toml", 'handler = "brain.answer"\n')
    first = lab.run(LARGE)
    assert "brain.py:1" in " ".join(first.record.reasons)
    second = lab.run(again(first, tmp_path / "elsewhere"))
    assert second.lines == first.lines
    assert encode(second.record) == encode(first.record)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abZ_é", min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(st.text("abcxyZ_", min_size=1, max_size=5), VALUES, max_size=3)
STEP = st.fixed_dictionaries(
    {
        "tool": st.sampled_from(["pay", "get", "a.b", "zahle"]),
        "arguments": ARGUMENTS,
        "result": VALUES,
        "writes": st.booleans(),
    }
)
KINDS = (
    "timeout",
    "provider_error",
    "malformed_output",
    "stale_memory",
    "repeated_call",
    "connection_lost",
    "empty_result",
)
FAULT = st.fixed_dictionaries({"kind": st.sampled_from(KINDS), "step": st.just(0), "occurrence": st.integers(1, 3)})


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(STEP, min_size=1, max_size=3),
    faults=st.lists(FAULT, max_size=2, unique_by=str),
    seed=st.integers(0, 2**53),
)
def test_any_scenario_of_steps_runs_the_same_from_what_its_run_keeps(lab, tmp_path, steps, faults, seed):
    data: dict[str, Any] = {"scenario": {"name": "any"}, "steps": steps, "faults": faults[:1]}
    path = lab.write("any.json", msgspec.json.encode(data).decode())
    scenario = load_scenario(path)
    for name in ("baseline", "resilient"):
        first = run(scenario, name, seed=seed)
        made = again(first, tmp_path / "elsewhere")
        assert made.digest == scenario.digest
        second = run(made, name, seed=seed)
        assert second.lines == first.lines
        assert encode(second.record) == encode(first.record)


def test_the_order_of_keys_in_a_file_changes_nothing(lab):
    one = lab.load(STEPPED + fault("stale_memory", step=0))
    turned = STEPPED.replace(
        '{ order = "7", total = 40, note = "to be paid back" }', '{ note = "to be paid back", total = 40, order = "7" }'
    )
    other = lab.load(turned + fault("stale_memory", step=0))
    assert one.digest == other.digest
    assert run(one, "baseline").lines == run(other, "baseline").lines


def test_folders_are_given_back(lab, tmp_path):
    """What is unpacked is the run's own: nothing of it is read again from where it was."""
    first = lab.run(LARGE)
    made = again(first, tmp_path / "elsewhere")
    for path in Path(lab.folder).glob("*.*"):
        path.unlink()
    assert lab.run(made).lines == first.lines
