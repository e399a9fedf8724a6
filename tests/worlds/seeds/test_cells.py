from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.worlds.seeds.cells import HINTS, exact, meaning, real, whole

NUMBERS = st.integers(0, 2**64 - 1)


@given(NUMBERS, st.sampled_from(sorted(HINTS["str"])))
def test_every_text_filler_gives_the_same_text_for_the_same_number(number, hint):
    text = HINTS["str"][hint](number, "7")
    assert text == HINTS["str"][hint](number, "7")
    assert text


@given(NUMBERS, st.integers(-100, 100), st.integers(0, 50))
def test_numbers_lie_within_their_bounds(number, low, width):
    assert low <= whole(low, low + width)(number, "1") <= low + width
    assert low <= real(low, low + width)(number, "1") <= low + width
    assert low <= exact(Decimal(low), Decimal(low + width))(number, "1") <= low + width


EDGES = NUMBERS | st.sampled_from([0, 2**64 - 1])


@given(EDGES, st.floats(-1e6, 1e6), st.sampled_from([1e-9, 0.01, 0.5, 1, 1000]))
def test_a_bound_that_is_left_out_is_never_filled_in(number, low, width):
    high = low + width
    assert low < real(low, high, above=True, below=True)(number, "1") < high
    assert low < real(low, high, above=True)(number, "1") <= high


@given(EDGES, st.decimals(-1000, 1000, places=2), st.sampled_from(["0.01", "0.02", "1", "1000"]))
def test_a_bound_that_is_left_out_is_never_filled_in_for_decimals(number, low, width):
    high = low + Decimal(width)
    assert low < exact(low, high, above=True, below=True)(number, "1") < high
    assert low <= exact(low, high, below=True)(number, "1") < high


def test_the_first_number_beside_a_bound_is_a_cent_away_in_a_wide_range():
    assert real(0, 1000, above=True)(0, "1") == 0.01
    assert real(1.1, 1000, above=True)(0, "1") == 1.11
    assert exact(Decimal(0), Decimal(1000), above=True)(0, "1") == Decimal("0.01")


def test_decimals_have_as_many_digits_as_their_bounds_and_at_least_cents():
    assert exact(Decimal(1), Decimal(2))(5, "1").as_tuple().exponent == -2
    assert exact(Decimal("0.001"), Decimal(2))(5, "1").as_tuple().exponent == -3


@pytest.mark.parametrize(
    ("kind", "record", "name", "hint"),
    [
        ("str", "user", "email", "email"),
        ("str", "user", "work_email", "email"),
        ("str", "user", "first_name", "first_name"),
        ("str", "user", "name", "name"),
        ("str", "product", "name", "product"),
        ("str", "order", "product_name", "product"),
        ("str", "merchant", "name", "company"),
        ("str", "user", "billing_address", "address"),
        ("str", "user", "xyz", None),
        ("float", "order", "unit_price", "price"),
        ("decimal", "account", "balance", "price"),
        ("int", "order", "amount_cents", "price"),
        ("int", "order", "quantity", "quantity"),
        ("int", "order", "xyz", None),
    ],
)
def test_names_that_mean_something_suggest_a_hint(kind, record, name, hint):
    assert meaning(kind, record, name) == hint
