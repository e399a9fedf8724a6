"""The kind `truncated_result`."""

from __future__ import annotations

import json

import pytest

from squall.faults.kinds.truncated_result import KIND


def test_half_of_the_replys_text_arrives(trial):
    assert trial.changed(KIND, {"id": "ord_1"}).value == '{"id":"'
    assert trial.changed(KIND, {"id": "ord_1"}).form == "text"


@pytest.mark.parametrize(("keep", "text"), [(0, ""), (0.25, "[10"), (0.99, "[100,200,30")])
def test_the_rule_says_how_much_of_it(trial, keep, text):
    assert trial.changed(KIND, [100, 200, 30], keep=keep).value == text


@pytest.mark.parametrize("value", [{}, [], {"a": 1}, ["x"], "text", None, True])
def test_what_arrives_is_never_json(trial, value):
    with pytest.raises(json.JSONDecodeError):
        json.loads(trial.changed(KIND, value, keep=0.99).value)


def test_it_does_not_fire_where_what_is_left_is_json(trial):
    assert trial.changed(KIND, 1200) is None
    assert trial.changed(KIND, 1200, keep=0).value == ""


@pytest.mark.parametrize("form", ["refused", "crashed", "text"])
def test_it_does_not_fire_where_the_operation_gave_no_value(trial, form):
    assert trial.changed(KIND, "…", form=form) is None


@pytest.mark.parametrize("keep", [1, -0.1])
def test_a_share_is_from_nothing_to_less_than_all(shop, keep):
    wrong = shop.wrong_with(f"orders.list_orders: [{{ kind: truncated_result, nth: 1, keep: {keep} }}]")
    assert wrong.startswith("plan.yaml:1:62: 'keep' must be ")


def test_the_operation_has_run(trial):
    assert KIND.phase == "after"
    assert trial.example(KIND).phase == "after"


def test_its_example_parses(trial):
    assert trial.example(KIND).params == {"keep": 0.3}
