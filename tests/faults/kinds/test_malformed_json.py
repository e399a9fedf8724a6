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


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "before"
    assert trial.example(KIND).phase == "before"


def test_its_example_parses(trial):
    assert trial.example(KIND).probability == 0.02
