"""`squall validate` and `squall schema` on policies: what is told apart, and what is found wrong."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it comes without stubs
import pytest

from squall.cli.of_policies import is_policy


@pytest.mark.parametrize(
    ("data", "file", "is_one"),
    [
        ({"allow": ["f"]}, "a.toml", True),
        ({"tools": {"f": {}}}, "a.toml", True),
        ({"max_cals": 1}, "a.toml", True),
        ({}, ".squall/policy.json", True),
        ([], ".faultline/policy.json", True),
        ({}, "policy.json", False),
        ([], "a.toml", False),
        ({"orders.get_order": {"errors": {"timeout": 0.1}}}, "a.toml", False),
        ({"faults": {"tools": 1}}, "a.toml", False),
    ],
)
def test_a_policy_is_told_by_its_keys_and_its_place(data, file, is_one):
    assert is_policy(data, Path(file)) is is_one


@pytest.fixture
def policy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="policy.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        return name

    return write


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("max_calls = 1", "a policy"),
        ("[tools.f]\nmax_calls = 1", "a policy, limits on 1 tool"),
        ("[tools.f]\nmax_calls = 1\n[tools.g]", "a policy, limits on 2 tools"),
    ],
)
def test_a_policy_with_nothing_wrong_is_told(squall, policy, text, what):
    done = squall("validate", policy(text))
    assert (done.status, done.out) == (0, f"policy.toml: {what}: nothing wrong\n")


def test_what_is_wrong_with_a_policy_is_told_with_its_place(squall, policy):
    done = squall("validate", policy('{"deny_patterns": [""], "tools": {"f": {"limit": {}}}}', ".squall/policy.json"))
    assert done.status == 2
    assert ".squall/policy.json:1:20: the denied text '' would deny every call" in done.err
    assert ".squall/policy.json:1:41: unknown key 'limit'; did you mean 'limits'?" in done.err


@pytest.fixture
def schema(squall):
    return jsonschema.Draft202012Validator(json.loads(squall("schema", "policy").out))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"allow": [], "deny_patterns": ["../"], "max_arg_chars": 1, "max_calls": 0, "require_complete": True},
        {"tools": {"f": {"limits": {"a.b": 0.5}, "budget": {"a": 5}, "allowed_values": {"c": [1, None]}}}},
        {"tools": {"f": {"required_args": ["a"], "identity_arg": "u", "requires": ["g"], "max_calls": 1}}},
    ],
)
def test_the_schema_takes_what_is_read(schema, data):
    schema.validate(data)


@pytest.mark.parametrize(
    "data",
    [
        {"alow": []},
        {"deny_patterns": [""]},
        {"deny_patterns": [" "]},
        {"max_calls": -1},
        {"tools": {"f": {"limits": 5}}},
    ],
)
def test_the_schema_refuses_what_is_wrong(schema, data):
    assert not schema.is_valid(data)
