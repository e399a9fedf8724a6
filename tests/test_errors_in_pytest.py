"""What a test's traceback shows of squall: nothing where the weather did it, everything where squall has a bug."""

from __future__ import annotations

import pytest

from squall.errors import LimitReached, UsageError, is_weather, no_attribute
from squall.wire.callables import ToolError


def caught(error):
    with pytest.raises(type(error)) as found:
        raise error
    return found


@pytest.mark.parametrize("error", [ToolError("no"), TimeoutError(), ConnectionError(), LimitReached("hung")])
def test_frames_are_hidden_from_what_is_the_agents_business(error):
    assert is_weather(caught(error))


@pytest.mark.parametrize("error", [TypeError("ours"), KeyError("ours"), AssertionError()])
def test_frames_are_shown_where_squall_itself_may_be_wrong(error):
    assert not is_weather(caught(error))


@pytest.mark.parametrize("error", [UsageError("give a table"), no_attribute("no table 'ordrs'", "ordrs")])
def test_frames_are_hidden_where_the_tests_own_line_is_wrong(error):
    assert is_weather(caught(error))


def test_frames_are_shown_where_squall_asks_for_an_attribute_that_is_not_there():
    with pytest.raises(AttributeError) as found:
        getattr(object(), "nothing")  # noqa: B009 - a type checker would refuse the plain form
    assert not is_weather(found)
