"""Values by their paths, and the numbers that texts say."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.checks.policy.arguments import as_written, number_of, texts_in, values_at, whole_at


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("900", 900),
        ("$900.00", 900),
        (" $ 900 ", 900),
        ("-$900", -900),
        ("$-900", -900),
        ("−900", -900),
        ("+5", 5),
        ("1,200", 1200),
        ("1,200.50", "1200.5"),
        ("1.200,50", "1200.5"),
        ("1.200.300", 1200300),
        ("1.200", "1.2"),
        ("12,5", "12.5"),
        ("1 200 000", 1200000),
        ("1\u00a0200,50 €", "1200.5"),
        ("1'200.50", "1200.5"),
        ("1_000", 1000),
        (".5", "0.5"),
        ("900.", 900),
        ("US$900", 900),
        ("USD 900", 900),
        ("900 EUR", 900),
        ("9e2", 900),
        ("９００", 900),
        (7, 7),
        (7.5, "7.5"),
    ],
)
def test_a_text_says_a_number(text, number):
    assert number_of(text) == Decimal(number)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "$",
        "nine",
        "A900",
        "900 apples",
        "1,2,3",
        "1.2.3",
        "2025-06-01",
        "12:30",
        "10%",
        "1 2",
        "--5",
        "1__0",
        "NaN",
    ],
)
def test_other_texts_say_none(value):
    assert number_of(value) is None


@pytest.mark.parametrize(
    "value",
    [True, None, [], {}, float("nan"), float("inf"), "9" * 1001],
)
def test_other_values_say_none(value):
    assert number_of(value) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=2))
def test_amounts_are_read_as_they_are_commonly_written(amount):
    assert number_of(f"{amount:,.2f}") == amount
    assert number_of(f"${amount:.2f}") == amount
    assert number_of(f"{amount:.2f} EUR") == amount


@given(st.text())
def test_any_text_is_a_number_or_none(text):
    number = number_of(text)
    assert number is None or number.is_finite()


@pytest.mark.parametrize("hostile", ["1," * 500, "1 " * 500, "9" * 1000, ". " * 500])
def test_long_texts_are_read_in_their_length(hostile):
    number_of(hostile + "x")


def test_a_key_that_holds_dots_is_found_before_what_is_nested():
    assert list(values_at({"a.b": 1, "a": {"b": 2}}, "a.b")) == [("a.b", 1)]
    assert whole_at({"a.b": 1, "a": {"b": 2}}, "a.b") == 1


def test_lists_are_gone_through_and_null_is_nothing():
    arguments = {"items": [{"tags": ["x", None, ["y"]]}, {}, 5]}
    assert list(values_at(arguments, "items.tags")) == [("items.0.tags.0", "x"), ("items.0.tags.2.0", "y")]
    assert list(values_at(arguments, "items.2")) == [("items.2", 5)]
    assert list(values_at(arguments, "items.7")) == []
    assert list(values_at(arguments, f"items.{'9' * 5000}")) == []


def test_the_whole_value_goes_through_no_list():
    assert whole_at({"a": {"b": [1]}}, "a.b") == [1]
    assert whole_at({"a": [{"b": 1}]}, "a.b") is None


def test_texts_come_in_order_with_their_paths():
    found = [(text.path, text.text) for text in texts_in({"a": ["x", {"b": "y"}], "c": 5})]
    assert found == [("a", "a"), ("c", "c"), ("a.0", "x"), ("a.1.b", "b"), ("a.1.b", "y")]


def test_arguments_that_json_cannot_hold_have_a_text():
    assert as_written({"a": {1}}) == '{"a": "{1}"}'
    circle: list[object] = []
    circle.append(circle)
    assert as_written(circle) == "[[...]]"
