from __future__ import annotations

from xml.etree import ElementTree

import pytest

from squall.reports.page.latencies import HIGHEST, latencies


def lines(of):
    return ElementTree.fromstring(latencies(of)).findall("li")  # noqa: S314 - our own picture is what is tested


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (0.0, ["0 s", "0.01 s"]),
        (0.3, ["0 s", "0.5 s"]),
        (4.0, ["0 s", "1 s", "5 s"]),
        (62.0, ["0 s", "1 s", "10 s", "90 s"]),
        (500.0, ["0 s", "1 s", "10 s", "60 s", "10 min"]),
        (1e6, ["0 s", "1 s", "10 s", "60 s", "10 min", "60 min", "10 h", "278 h"]),
    ],
)
def test_the_scale_ends_near_the_longest_run(most, ticks):
    assert [each.text for each in lines({"a": [0.0, most]})[-1].iter("text")] == ticks


def test_each_run_is_a_dot_as_long_as_there_is_room():
    first, second, _ = lines({"a": [1.0, 2.0], "b": [1.0] * 100})
    assert len(list(first.iter("circle"))) == 2
    assert len(list(second.iter("circle"))) == HIGHEST


def test_the_middle_half_is_a_box_and_the_median_a_number():
    line = lines({"a": [0.0, 1.0, 2.0, 3.0, 100.0]})[0]
    assert "".join(line.itertext()) == "amedian 2 sp95 80.6 s"
    assert line.find(".//rect[@class='box']") is not None


def test_a_strategy_without_runs_has_no_dots():
    assert "no run was judged" in "".join(lines({"a": [], "b": [1.0]})[0].itertext())
    assert len(lines({"a": []})) == 2
