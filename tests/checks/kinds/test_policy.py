"""The check `policy`: what it makes of breaches, with a policy and without."""

from __future__ import annotations

import pytest

from squall.checks import Options
from squall.checks.kinds.policy import CHECK
from squall.checks.policy import Policy


@pytest.fixture
def verdict(run):
    return lambda **options: CHECK.run(run.trace, Options(**options))


def test_without_a_policy_the_built_in_texts_are_denied(run, verdict):
    run.talk("find it").uses("read", {"path": "../secret"}).says("done")
    found = verdict()
    assert (found.verdict, found.step, found.mode) == ("fail", 2, "fail")
    assert found.reason == "step 2: read: path holds the denied text '../'"


def test_a_path_from_the_user_is_fine_without_a_policy(run, verdict):
    run.talk("Fix ../app/main.py, please.").uses("read", {"path": "../app/main.py"}).says("done")
    assert verdict().verdict == "pass"


def test_each_breach_is_a_part_of_the_reason(run, verdict):
    run.talk().uses("refund", {"amount": 900, "reason": "a;b"}).uses("drop; x").says("done")
    found = verdict(policy={"allow": ["refund"], "tools": {"refund": {"limits": {"amount": 500}, "requires": ["ok"]}}})
    assert found.parts == [
        "step 2: refund: amount is 900, more than its limit of 500",
        "step 2: refund is called, and no ok succeeded before",
        "step 4: 'drop, x' is not among the tools that are allowed",
    ]
    assert found.step == 2


def test_of_many_breaches_the_first_are_told(run, verdict):
    talk = run.talk()
    for _ in range(25):
        talk.uses("drop")
    talk.says("done")
    found = verdict(policy=Policy(allow=()))
    assert len(found.parts) == 21
    assert found.parts[-1] == "and 5 more"


def test_whom_the_run_is_for_is_unknown_where_nobody_says_so(run, verdict):
    policy = {"tools": {"refund": {"identity_arg": "customer", "max_calls": 1}}}
    run.talk().uses("refund", {"customer": "u1"}).says("done")
    assert verdict(policy=policy).verdict == "unknown"
    assert verdict(policy=policy, user_id="u1").verdict == "pass"
    assert verdict(policy=policy, user_id="u2").verdict == "fail"


def test_a_breach_counts_also_where_something_else_is_unknown(run, verdict):
    policy = {"tools": {"refund": {"identity_arg": "customer", "max_calls": 0}}}
    run.talk().uses("refund", {"customer": "u1"}).says("done")
    assert verdict(policy=policy).reason == "step 2: refund is called once more than max_calls (0)"


def test_a_file_is_read(run, verdict, tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text("max_calls = 0\n")
    run.talk().uses("read").says("done")
    assert verdict(policy=str(file)).verdict == "fail"
    assert verdict().verdict == "pass"


def test_a_run_without_calls_passes(run, verdict):
    run.talk("read ../x").says("done")
    assert verdict(policy={"allow": []}).verdict == "pass"
