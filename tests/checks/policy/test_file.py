"""Policy files: what they mean, where they are found, and what is said of those that are wrong."""

from __future__ import annotations

import json

import pytest

from squall.checks.policy import Policy, ToolLimits, find_policy, load_policy, policy_of
from squall.errors import UsageError

WHOLE = {
    "allow": ["verify", "refund"],
    "deny_patterns": ["../", "DROP TABLE"],
    "max_arg_chars": 4000,
    "max_calls": 20,
    "require_complete": True,
    "tools": {
        "refund": {
            "max_calls": 1,
            "limits": {"amount": 500, "items.price": 9.5},
            "budget": {"amount": 1000},
            "allowed_values": {"currency": ["USD", 1, None, ["a"]]},
            "required_args": ["order_id"],
            "identity_arg": "customer_id",
            "requires": ["verify"],
        }
    },
}
MEANT = Policy(
    allow=("verify", "refund"),
    denied=("../", "DROP TABLE"),
    max_arg_chars=4000,
    max_calls=20,
    require_complete=True,
    tools={
        "refund": ToolLimits(
            max_calls=1,
            limits={"amount": 500, "items.price": 9.5},
            budget={"amount": 1000},
            allowed_values={"currency": ("USD", 1, None, ["a"])},
            required_args=("order_id",),
            identity_arg="customer_id",
            requires=("verify",),
        )
    },
)
TOML = """
allow = ["refund"]
max_calls = 2
[tools.refund]
limits = { amount = 500 }
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="policy.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text if isinstance(text, str) else json.dumps(text))
        return name

    return write


def told(load, *args):
    with pytest.raises(UsageError) as caught:
        load(*args)
    return str(caught.value)


def test_every_key_means_what_it_says(file):
    assert load_policy(file(WHOLE)) == MEANT
    assert policy_of(WHOLE) == MEANT
    assert policy_of(MEANT) is MEANT


def test_json_toml_and_yaml_mean_the_same(file):
    meant = Policy(allow=("refund",), max_calls=2, tools={"refund": ToolLimits(limits={"amount": 500})})
    yaml = "allow: [refund]\nmax_calls: 2\ntools: { refund: { limits: { amount: 500 } } }\n"
    assert load_policy(file(TOML, "p.toml")) == load_policy(file(yaml, "p.yaml")) == meant


def test_an_empty_policy_has_no_limits_but_the_built_in_texts(file):
    assert load_policy(file("{}")) == Policy()
    assert load_policy(file({"deny_patterns": []})).denied == ()


WRONG = [
    ('{"alow": []}', "policy.json:1:2: unknown key 'alow'; did you mean 'allow'?"),
    ('{\n  "tools": {"f": {"max_cals": 1}}}', "policy.json:2:19: unknown key 'max_cals'; did you mean 'max_calls'?"),
    ('{"deny_patterns": ["a", ""]}', "policy.json:1:25: the denied text '' would deny every call"),
    ('{"deny_patterns": [" "]}', "policy.json:1:20: the denied text ' ' would deny every call"),
    ('{"deny_patterns": "../"}', "policy.json:1:19: 'deny_patterns' must be a list, not '../'"),
    ('{"deny_patterns": [5]}', "policy.json:1:20: item 1 of 'deny_patterns' must be text, not 5"),
    ('{"allow": "refund"}', "policy.json:1:11: 'allow' must be a list, not 'refund'"),
    ('{"allow": [""]}', "policy.json:1:12"),
    (
        '{"max_calls": "20"}',
        "policy.json:1:15: 'max_calls' must be a whole number, not '20'\n    Write 20",
    ),
    ('{"max_calls": -1}', "policy.json:1:15: 'max_calls' must be greater than or equal to 0, not -1"),
    ('{"max_calls": true}', "policy.json:1:15: 'max_calls' must be a whole number, not True"),
    ('{"max_arg_chars": 1.5}', "policy.json:1:19: 'max_arg_chars' must be a whole number, not 1.5"),
    ('{"require_complete": 1}', "policy.json:1:22: 'require_complete' must be true or false, not 1"),
    ('{"tools": []}', "policy.json:1:11: 'tools' must be a mapping, not []"),
    ('{"tools": {"f": 1}}', "policy.json:1:17: 'f' must be a mapping, not 1"),
    (
        '{"tools": {"f": {"limits": {"a": "$5"}}}}',
        "policy.json:1:34: a limit is a number, not '$5'\n    Write 500",
    ),
    ('{"tools": {"f": {"limits": {"a": true}}}}', "policy.json:1:34: a limit is a number, not True"),
    ('{"tools": {"f": {"limits": [5]}}}', "policy.json:1:28: 'limits' must be a mapping, not [5]"),
    ('{"tools": {"f": {"budget": {"a": null}}}}', "policy.json:1:34: a limit is a number, not None"),
    ('{"tools": {"f": {"allowed_values": {"a": "x"}}}}', "policy.json:1:42: 'a' must be a list, not 'x'"),
    ('{"tools": {"f": {"required_args": [1]}}}', "policy.json:1:36: item 1 of 'required_args' must be text, not 1"),
    ('{"tools": {"f": {"identity_arg": ""}}}', "policy.json:1:34: "),
    ('{"tools": {"f": {"requires": "g"}}}', "policy.json:1:30: 'requires' must be a list, not 'g'"),
    ("[]", "policy.json:1:1: the document must be a mapping, not []"),
    ("{", "policy.json:1:2"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_wrong_is_told_with_its_place(file, text, words):
    assert words in told(load_policy, file(text))


def test_all_that_is_wrong_is_told_at_once(file):
    text = told(load_policy, file('{"alow": [],\n"max_calls": "2",\n"tools": {"f": {"limit": 5}}}'))
    assert [line.partition(": ")[0] for line in text.splitlines() if line.startswith("policy")] == [
        "policy.json:1:2",
        "policy.json:2:14",
        "policy.json:3:17",
    ]


def test_limits_that_are_no_finite_numbers_are_refused(file):
    assert "a limit is a finite number, not inf" in told(load_policy, file("[tools.f]\nlimits = { a = inf }", "p.toml"))


def test_what_is_no_policy_at_all_is_told(file):
    assert "there is no file 'none.json'" in told(load_policy, "none.json")
    assert "a policy is a file's path, or a mapping with the keys of one, not 5" in told(policy_of, 5)
    assert "policy.tools.f.limit: unknown key 'limit'; did you mean 'limits'?" in told(
        policy_of, {"tools": {"f": {"limit": {}}}}
    )


def test_a_file_that_changes_is_read_anew(file, tmp_path):
    assert load_policy(file("max_calls = 1", "p.toml")).max_calls == 1
    assert load_policy(file("max_calls = 200", "p.toml")).max_calls == 200


def test_the_policy_of_a_project_is_found(file, tmp_path):
    assert find_policy(tmp_path) is None
    file("{}", ".faultline/policy.json")
    assert find_policy(tmp_path) == tmp_path / ".faultline" / "policy.json"
    file("{}", ".squall/policy.yml")
    assert find_policy(tmp_path) == tmp_path / ".squall" / "policy.yml"
    file("", ".squall/policy.toml")
    assert "there are two policies, policy.toml and policy.yml" in told(find_policy, tmp_path)
