from __future__ import annotations

from unittest import SkipTest

import pytest

from squall.errors import LimitReached, UsageError
from squall.runs.result import is_skip, leaves, status_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, "passed"),
        (AssertionError(), "failed"),
        (pytest.fail.Exception("no"), "failed"),
        (RuntimeError(), "crashed"),
        (LimitReached(), "hung"),
        (UsageError("a property that is misused"), "failed"),
        (pytest.skip.Exception("no key"), "skipped"),
        (ExceptionGroup("of a task group", [RuntimeError(), AssertionError()]), "failed"),
        (BaseExceptionGroup("of a task group", [ExceptionGroup("", [OSError()]), LimitReached()]), "hung"),
        (ExceptionGroup("of a task group", [OSError(), OSError()]), "crashed"),
        (BaseExceptionGroup("of a task group", [pytest.skip.Exception("no key")]), "skipped"),
    ],
)
def test_how_a_body_ended_has_one_word(error, status):
    assert status_of(error) == status


def test_what_came_up_at_the_end_decides_where_the_agent_said_nothing():
    assert status_of(None, [AssertionError(), OSError()]) == "failed"
    assert status_of(None, [OSError(), AssertionError()]) == "crashed"
    assert status_of(OSError(), [AssertionError()]) == "crashed"
    assert status_of(AssertionError(), [LimitReached()]) == "hung"


def test_a_skip_hides_nothing():
    assert status_of(pytest.skip.Exception("no key"), [AssertionError()]) == "failed"
    assert status_of(None, [pytest.skip.Exception("no key"), AssertionError()]) == "failed"
    assert status_of(pytest.skip.Exception("no key"), [pytest.xfail.Exception("bug"), OSError()]) == "crashed"
    assert status_of(pytest.xfail.Exception("bug"), [OSError()]) == "crashed"
    assert status_of(pytest.xfail.Exception("bug"), [pytest.skip.Exception("no key")]) == "failed"
    assert status_of(pytest.skip.Exception("no key"), [pytest.skip.Exception("no net")]) == "skipped"
    assert is_skip(pytest.skip.Exception("no key"))
    assert is_skip(SkipTest("no key"))
    assert not is_skip(ExceptionGroup("both", [OSError(), ExceptionGroup("", [AssertionError()])]))


def test_a_limit_is_found_behind_what_was_raised_from_it():
    wrapped, own = RuntimeError("wrapped"), RuntimeError("its own cause")
    wrapped.__cause__ = ExceptionGroup("tasks", [OSError()])
    wrapped.__cause__.exceptions[0].__cause__ = LimitReached("no")
    own.__cause__ = own
    assert status_of(wrapped) == "hung"
    assert status_of(own) == "crashed"


def test_the_leaves_of_a_group_are_what_was_really_raised():
    first, second = OSError(), KeyError()
    assert list(leaves(ExceptionGroup("", [first, ExceptionGroup("", [second])]))) == [first, second]
