from __future__ import annotations

import pytest

from squall.pytest_plugin.remembered import STEP, remember_step


class Cache(dict[str, object]):
    def set(self, key, value):
        self[key] = value


@pytest.mark.parametrize(
    ("stored", "outcome", "then"),
    [
        ("t::a", "failed", "t::a[run0]"),  # what pytest stores when a group fails
        ("t::a[run0]", "passed", None),  # what was stored then, and is repaired now
        ("t::a[run0]", "undecided", "t::a[run0]"),
        ("t::other", "failed", "t::other"),
        (None, "failed", None),
    ],
)
def test_stepwise_goes_on_with_the_first_run_of_a_group(stored, outcome, then):
    cache = Cache({STEP: {"last_failed": stored, "last_test_count": 3}})
    remember_step(cache, {"t::a": outcome}, ["t::other", "t::a[run0]", "t::a[run1]"])
    assert cache[STEP] == {"last_failed": then, "last_test_count": 3}


def test_without_a_record_of_stepwise_nothing_is_written():
    cache = Cache()
    remember_step(cache, {"t::a": "failed"}, ["t::a[run0]"])
    assert not cache


def test_a_session_goes_on_from_the_group_that_failed(session, monkeypatch):
    code = """
        import os, pytest
        pytestmark = [pytest.mark.runs(3), pytest.mark.min_pass_rate(1)]

        def test_first(): pass
        def test_second(): assert "FIXED" in os.environ
        def test_third(): pass
    """
    assert session(code, "--stepwise").counts == {"passed": 1, "failed": 1}
    again = session(None, "--stepwise")
    assert again.counts == {"failed": 1, "deselected": 3}
    monkeypatch.setenv("FIXED", "1")
    assert session(None, "--stepwise").counts == {"passed": 2, "deselected": 3}
    assert session(None, "--stepwise").counts == {"passed": 3}
