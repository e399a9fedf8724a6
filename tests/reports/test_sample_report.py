"""The sample for people, `docs/sample-report.html`, and what makes it, `docs/sample_report.py`."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ID = re.compile(r"\b[0-9a-f]{12}\b")


def test_the_sample_is_what_the_lab_makes_of_the_projects_own_scenarios():
    made = runpy.run_path(str(DOCS / "sample_report.py"))["sample"]()
    kept = (DOCS / "sample-report.html").read_text(encoding="utf-8")
    assert ID.sub("…", kept) == ID.sub("…", made), "docs/sample-report.html is out of date: make sample makes it anew"
