from __future__ import annotations

import pytest

from squall.reports.exploration_files import write_beside
from squall.reports.exploration_html import html
from squall.reports.exploration_json import json
from squall.reports.exploration_junit import junit
from squall.reports.exploration_markdown import markdown


def test_a_page_and_three_files_lie_beside_each_other(exploration, tmp_path):
    paths = write_beside(tmp_path / "found.html", [exploration], title="Found")
    assert [path.name for path in paths] == ["found.html", "found.json", "found.md", "found.xml"]
    assert [path.read_text(encoding="utf-8") for path in paths] == [
        html([exploration], title="Found"),
        json([exploration]),
        markdown([exploration]),
        junit([exploration]),
    ]


def test_a_folder_that_is_not_there_is_an_error(exploration, tmp_path):
    with pytest.raises(OSError, match="No such file"):
        write_beside(tmp_path / "no" / "found.html", [exploration])
