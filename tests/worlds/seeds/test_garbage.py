from __future__ import annotations

import gc

import pytest

from squall.worlds.seeds.garbage import put_off


def test_nothing_is_collected_meanwhile_and_everything_is_as_before_afterwards():
    assert gc.isenabled()
    with put_off():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), put_off():
        raise KeyError
    assert gc.isenabled()


def test_where_collection_was_off_it_stays_off():
    gc.disable()
    try:
        with put_off():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
