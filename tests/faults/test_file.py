"""The shapes that people write, `faults/file.py`: what the published schema says of them."""

from __future__ import annotations

import re

import pytest
from pydantic import TypeAdapter, ValidationError

from squall.faults.file import FaultsBlock, FaultsFile, RuleSpec, TargetSpec, WhenSpec


def test_every_key_is_documented():
    for model in (FaultsFile, RuleSpec, TargetSpec, WhenSpec):
        assert all(field.description for field in model.model_fields.values()), model


def test_there_is_a_schema_of_a_block_and_of_a_file():
    assert {"LimitsSpec", "RuleSpec", "TargetSpec"} <= set(FaultsFile.model_json_schema()["$defs"])
    short, long = TypeAdapter(FaultsBlock).json_schema()["anyOf"]
    assert (short["type"], long["type"]) == ("object", "array")


@pytest.mark.parametrize(
    "block",
    [
        {"default": {"errors": {"timeout": 0.1, "hang": {"probability": 1, "late_by": "1m"}}, "latency_ms": [1, 2]}},
        {"orders.get_order": {"errors": {"not_found_if_newer_than": "2h"}, "rules": [{"kind": "hang", "nth": 1}]}},
        {"orders.get_order": [{"kind": "hang", "every": 2, "when": {"order_id": "a"}}]},
        [{"target": ["a.b", "c.*"], "kind": "latency", "seconds": 5}],
    ],
)
def test_both_spellings_have_the_shape(block):
    file = FaultsFile.model_validate({"faults": block, "limits": {"seconds": "5m"}, "wall_cap": 1})
    assert (file.limits.seconds, file.wall_cap) == (300.0, 1.0)


@pytest.mark.parametrize(
    "file",
    [
        {},
        {"faults": 5},
        {"faults": {"a.b": {"errors": {"timeout": 2}}}},
        {"faults": {"a.b": {"latency_ms": [1, 2, 3]}}},
        {"faults": [{"target": "a.b"}]},
        {"faults": [{"kind": "hang", "nth": True}]},
        {"faults": [], "limits": {"calls": 0}},
        {"faults": [], "limits": {"seconds": 0}},
        {"faults": [], "fautls": []},
    ],
)
def test_what_no_plan_can_be_does_not_have_the_shape(file):
    with pytest.raises(ValidationError):
        FaultsFile.model_validate(file)


@pytest.mark.parametrize("text", ["500ms", "30s", "2h", "1h30m", "1.5d"])
def test_the_schema_knows_lengths_of_time_as_they_are_written(text):
    (pattern,) = [
        option["pattern"]
        for option in FaultsFile.model_json_schema()["properties"]["wall_cap"]["anyOf"]
        if "pattern" in option
    ]
    assert re.search(pattern, text)
    assert not re.search(pattern, f"{text}x")
    assert FaultsFile(faults=[], wall_cap=text).wall_cap
