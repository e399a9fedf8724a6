"""What is set aside while a search or a suite goes on, `runs/garbage.py`."""

from __future__ import annotations

import gc

import pytest

from squall.runs.garbage import set_aside


@pytest.fixture
def nothing_aside():
    gc.unfreeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("nothing_aside")
def test_what_was_there_is_set_aside_and_comes_back_whatever_happens():
    with pytest.raises(KeyError), set_aside():
        assert gc.get_freeze_count() > 0
        raise KeyError
    assert gc.get_freeze_count() == 0


@pytest.mark.usefixtures("nothing_aside")
def test_what_somebody_else_has_set_aside_stays_so():
    gc.freeze()
    with set_aside():
        pass
    assert gc.get_freeze_count() > 0
