from __future__ import annotations

from xml.etree import ElementTree

from squall.reports.page.lane_rows import Row, rows_of
from squall.reports.page.swim_lanes import WIDTH, legend, picture
from squall.trace import Trace


def drawn(rows, told="a run"):
    return ElementTree.fromstring(picture(rows, told))  # noqa: S314 - our own picture is what is tested


def test_each_run_is_a_picture_with_four_lanes_that_a_telephone_shows_whole(lab):
    for run in lab.runs:
        svg = drawn(rows_of(Trace.load(lab.trace_of(run))))
        assert [each.text for each in svg.findall("text[@class='lane']")] == ["agent", "model", "tools", "world"]
        assert int(svg.get("width")) == WIDTH <= 340
        assert svg.get("role") == "img"


def test_who_does_not_see_it_is_told(lab):
    assert drawn([], "pay!timeout(after) → pay").get("aria-label") == "pay!timeout(after) → pay"


def test_faults_and_effects_have_marks_and_errors_come_back_dashed(record_of):
    svg = drawn(rows_of(Trace(record_of("timeout", "careless", 0)[1])))
    marks = [each.get("class") for each in svg.iter() if "mark" in (each.get("class") or "").split()]
    assert marks == ["mark effect", "mark fault", "mark again ring", "mark again", "mark note", "mark note"]
    assert svg.find("line[@class='arrow error']") is not None


def test_time_goes_down_and_a_pause_takes_room():
    rows = [Row(0.0, "note", "agent", None, "a"), Row(0.1, "note", "agent", None, "b")]
    paused = [rows[0], Row(60.0, "note", "agent", None, "b")]
    assert [each.text for each in drawn(rows).findall("text[@class='when']")] == ["0 s", "0.1 s"]
    assert drawn(rows).find("line[@class='pause']") is None
    assert drawn(paused).find("line[@class='pause']") is not None
    assert float(drawn(paused).get("height")) > float(drawn(rows).get("height"))


def test_a_moment_is_written_once():
    rows = [Row(1.0, "note", "agent", None, "a"), Row(1.0, "fold", "agent", None, "b")]
    assert len(drawn(rows).findall("text[@class='when']")) == 1


def test_words_are_text():
    svg = drawn([Row(0.0, "ask", "agent", "tools", "<script>alert(1)</script>")])
    assert svg.find(".//script") is None
    assert "<script>alert(1)</script>" in [each.text for each in svg.findall("text")]


def test_the_legend_names_each_mark():
    for words in ("a fault happens", "the world changes", "it changes again in the same way", "it changes late"):
        assert words in legend()
