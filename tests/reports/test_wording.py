from __future__ import annotations

import pytest

from squall.reports.wording import between, counted, listed, number, percent, seconds


@pytest.mark.parametrize(
    ("share", "words"),
    [(None, "–"), (0.0, "0 %"), (0.001, "<1 %"), (0.5, "50 %"), (0.835, "84 %"), (0.999, ">99 %"), (1.0, "100 %")],
)
def test_none_and_all_are_said_of_nothing_else(share, words):
    assert percent(share) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (0, "0 s"),
        (0.25, "0.25 s"),
        (9.999, "10 s"),
        (62.14, "62.1 s"),
        (150.4, "150 s"),
        (181, "3.02 min"),
        (9000, "2.5 h"),
    ],
)
def test_seconds_become_minutes_and_hours(value, words):
    assert seconds(value) == words


def test_numbers_and_nouns_go_together():
    assert number(2.5) == "2.5"
    assert number(1200) == "1,200"
    assert number(None) == "–"
    assert counted(1, "run") == "1 run"
    assert counted(1200, "run") == "1,200 runs"
    assert counted(2, "strategy", "strategies") == "2 strategies"
    assert between(0.436, 1.0) == "44–100 %"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
