"""Writes the report of explorations: the page, and beside it the same for programs, CI's summary and test results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from squall.reports.exploration import Exploration
from squall.reports.exploration_html import html
from squall.reports.exploration_json import json
from squall.reports.exploration_junit import junit
from squall.reports.exploration_markdown import markdown


def write_beside(path_html: Path, explorations: Sequence[Exploration], *, title: str = "") -> list[Path]:
    """Write `exploration.html` and beside it `exploration.json`, `.md` and `.xml`; the paths, the page's first.

    Raises OSError.
    """
    texts = {
        path_html: html(explorations, title=title),
        path_html.with_suffix(".json"): json(explorations),
        path_html.with_suffix(".md"): markdown(explorations),
        path_html.with_suffix(".xml"): junit(explorations),
    }
    for path, text in texts.items():
        path.write_bytes(text.encode(errors="backslashreplace"))
    return list(texts)
