from __future__ import annotations

import pytest

from squall.explore import Share


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (Share(1, 46, 46, 46), "every single fault (46)"),
        (Share(2, 857, 540, 540), "63 % of pairs (540 of 857)"),
        (Share(2, 1000, 999, 999), "99 % of pairs (999 of 1,000)"),
        (Share(2, 1000, 1, 1), "less than 1 % of pairs (1 of 1,000)"),
        (Share(2, 857, 9, 0), "no pair (0 of 857)"),
        (Share(3, 12000, 40, 40, drawn=True), "40 of 12,000 triples, drawn evenly"),
        (Share(4, 2, 1, 1), "50 % of sets of 4 faults (1 of 2)"),
        (Share(2, 0, 0, 0), "no pair possible"),
    ],
)
def test_a_share_says_what_was_covered_and_never_rounds_up(share, words):
    assert str(share) == words


def test_a_share_is_whole_when_all_of_it_is_covered():
    assert Share(1, 3, 2, 3, left_out=1).whole
    assert not Share(1, 3, 3, 2, never_fired=1).whole
    assert (Share(1, 0, 0, 0).percent, Share(1, 3, 2, 2).percent) == (100, 66)
