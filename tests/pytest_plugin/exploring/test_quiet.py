"""Warnings of runs that are made again and again: each once, and none of the collector's is an error."""

from __future__ import annotations

import warnings

import pytest

from squall.pytest_plugin.exploring.quiet import once_each


def test_each_warning_is_told_once_in_the_order_in_which_they_came():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with once_each() as tidy:
            for _ in range(3):
                warnings.warn("one", UserWarning, stacklevel=1)
                warnings.warn("two", UserWarning, stacklevel=1)
                tidy()
            assert told == []
    assert [str(each.message) for each in told] == ["one", "two"]


def test_a_warning_that_the_user_made_an_error_is_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with once_each(), pytest.raises(UserWarning):
            warnings.warn("one", UserWarning, stacklevel=1)


def test_what_only_the_collector_sees_is_no_error():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("error")
        warnings.filterwarnings("always", category=UserWarning)
        with once_each():
            warnings.warn(pytest.PytestUnraisableExceptionWarning("collected"), stacklevel=1)
    assert [each.category for each in told] == [pytest.PytestUnraisableExceptionWarning]
