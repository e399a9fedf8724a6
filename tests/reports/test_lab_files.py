from __future__ import annotations

import json
from xml.etree import ElementTree

from squall.reports.lab_files import write_beside


def test_the_page_and_the_same_numbers_lie_beside_each_other(lab, tmp_path):
    options = {"title": "Six faults", "replay": lab.replay}
    written = write_beside(tmp_path / "report.html", lab.summary, lab.runs, lab.trace_of, **options)
    assert [path.name for path in written] == ["report.html", "report.csv", "report.xml", "report.md", "report.json"]
    assert sorted(tmp_path.iterdir()) == sorted(written)
    page, table, results, words, data = (path.read_text(encoding="utf-8") for path in written)
    assert page.startswith("<!doctype html>")
    assert len(table.splitlines()) == 40
    assert len(list(ElementTree.fromstring(results).iter("testcase"))) == 90  # noqa: S314 - our own file
    assert words.startswith("### squall: resilient")
    assert json.loads(data)["runs"] == 90


def test_writing_again_changes_no_byte(lab, tmp_path):
    options = {"title": "Six faults", "replay": lab.replay}

    def write():
        paths = write_beside(tmp_path / "report.html", lab.summary, lab.runs, lab.trace_of, **options)
        return [path.read_bytes() for path in paths]

    assert write() == write()
