"""What the session says of its explored tests."""

from __future__ import annotations

from squall.pytest_plugin.exploring.record import Record
from squall.pytest_plugin.exploring.summary import lines, title


def test_the_title_counts_what_was_explored():
    explored = Record("test_a.py::test_a", claim="Every single fault (2): 1 failure.", failures=1, runs=1200)
    refused = Record("test_a.py::test_b", notes=["It was skipped."])
    assert title([explored, refused]) == "squall: 1 test explored, 1 failure, 1,200 runs"
    assert title([explored, explored]) == "squall: 2 tests explored, 2 failures, 2,400 runs"
    assert title([refused]) == "squall: nothing was explored"
    assert title([Record("test_a.py::test_a", replay="passes now")]) == "squall: a kept failure replayed"


def test_an_item_has_its_claim_its_limits_and_what_came_of_kept_failures():
    record = Record(
        "test_a.py::test_a",
        claim="Every single fault (2): no failure.",
        notes=["1 single fault never fired, which counts as not tried."],
        runs=4,
        seconds=0.123,
        revealed=[("a.b", 1), ("c.d", 3)],
        kept=["one.json: passes now"],
        altered=["row 1 is there twice: noticed (x)"],
    )
    assert list(lines(record, 200)) == [
        "  Every single fault (2): no failure. 4 runs in 0.12 s.",
        "  1 single fault never fired, which counts as not tried.",
        "  Calls that only recovering makes: a.b, c.d (3).",
        "  row 1 is there twice: noticed (x)",
        "  one.json: passes now",
    ]
    assert max(map(len, lines(record, 40))) <= 40
