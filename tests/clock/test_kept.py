"""Replacements that stay from one clock to the next, `clock/patches.py`."""

from __future__ import annotations

import asyncio
import time

import pytest

from squall.clock import VirtualClock
from squall.clock.patches import kept

SLEEP = time.sleep


def test_replacements_stay_between_clocks_and_go_with_the_last_of_who_keeps_them():
    with kept():
        assert time.sleep is SLEEP  # nothing is brought before a clock is in charge
        with VirtualClock().in_charge():
            ours = time.sleep
        assert time.sleep is ours is not SLEEP
        with kept(), VirtualClock().in_charge():
            assert time.sleep is ours
        assert time.sleep is ours
    assert time.sleep is SLEEP


def test_a_clock_that_is_still_in_charge_keeps_them_itself():
    with VirtualClock().in_charge():
        with kept():
            pass
        assert time.sleep is not SLEEP
    assert time.sleep is SLEEP


def test_they_go_whatever_happens():
    with pytest.raises(KeyError), kept(), VirtualClock().in_charge():
        raise KeyError
    assert time.sleep is SLEEP


def test_between_clocks_all_is_as_without_them():
    async def no_time():
        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.sleep(0)
        return loop.time() - began

    with kept():
        with VirtualClock().in_charge() as clock:
            time.sleep(3)
        assert clock.elapsed() == 3
        time.sleep(0)
        assert asyncio.run(no_time()) < 3
        assert clock.elapsed() == 3
        with VirtualClock().in_charge() as other:
            time.sleep(2)
        assert (clock.elapsed(), other.elapsed()) == (3, 2)
