"""Lengths of time as people write them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.documents import duration


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("500ms", 0.5),
        ("30s", 30.0),
        ("5m", 300.0),
        ("2h", 7200.0),
        ("1d", 86400.0),
        ("1h30m", 5400.0),
        (" 1.5 s ", 1.5),
        ("0s", 0.0),
        (0, 0.0),
        (7, 7.0),
        (0.25, 0.25),
    ],
)
def test_a_length_of_time_is_given_in_seconds(written, seconds):
    assert duration(written) == seconds


@pytest.mark.parametrize(
    "written",
    [
        "",
        "s",
        "30",
        "30 seconds",
        "1 h later",
        "1e3s",
        "٣s",
        "--1s",
        True,
        None,
        [],
        {},
        float("nan"),
        float("inf"),
        10**400,
        "9" * 400 + "s",
        "1d " * 10_000,
    ],
)
def test_what_is_no_length_of_time_is_refused_with_an_example(written):
    with pytest.raises(ValueError) as caught:
        duration(written)
    assert str(caught.value).endswith(
        "write a length of time such as 500ms, 30s, 5m, 2h or 1d (a number alone is seconds)"
    )


@pytest.mark.parametrize("written", ["-30s", -1, -0.5])
def test_below_zero_is_only_for_those_who_ask(written):
    with pytest.raises(ValueError) as caught:
        duration(written)
    assert str(caught.value) == f"a length of time cannot be below zero, and {written!r} is"
    assert duration(written, signed=True) < 0


@given(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_parts_add_up(days, hours, minutes, seconds):
    assert duration(f"{days}d{hours}h{minutes}m{seconds}s") == ((days * 24 + hours) * 60 + minutes) * 60 + seconds


@given(st.text() | st.floats() | st.integers())
def test_anything_is_a_number_of_seconds_or_a_value_error(written):
    with suppress(ValueError):
        assert duration(written) >= 0
