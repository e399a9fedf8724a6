"""The kind `malformed_json`."""

from __future__ import annotations

import json

import pytest

from squall.faults.kinds.malformed_json import KIND


def test_the_reply_is_text_that_no_parser_takes(trial):
    reply = trial.act(KIND).reply
    assert reply.form == "text"
    with pytest.raises(json.JSONDecodeError):
        json.loads(reply.value)


def test_the_text_is_the_rules_where_it_gives_one(trial):
    assert trial.act(KIND, text="<html>").reply.value == "<html>"


@pytest.mark.parametrize("text", ["{}", "[]", "null", "12", '"text"', ' {"a": 1} ', "NaN"])
def test_a_text_that_is_json_would_be_no_fault_and_is_refused(shop, text):
    wrong = shop.wrong_with([{"target": "orders.get_order", "kind": "malformed_json", "text": text}])
    assert wrong == (
        f"faults[0]['text']: {text!r} is JSON, and malformed_json is to send none\n"
        "    Leave a bracket or a quote out, or take wrong_value or empty_result for a reply that parses."
    )


@pytest.mark.parametrize("text", ["", "{", "<html>", "{'a': 1}", '{"a": 1} {"b": 2}', "[" * 100_000])
def test_a_text_that_is_none_is_sent_as_it_is(shop, text):
    plan = shop.inline([{"target": "orders.get_order", "kind": "malformed_json", "text": text}])
    assert plan.bound[0].params.text == text


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "before"
    assert trial.example(KIND).phase == "before"


def test_its_example_parses(trial):
    assert trial.example(KIND).probability == 0.02
