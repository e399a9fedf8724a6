"""Writes the lab's report: the page, and beside it the same numbers for spreadsheets, CI and programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from squall.reports.lab_csv import csv
from squall.reports.lab_html import html
from squall.reports.lab_json import json
from squall.reports.lab_junit import junit
from squall.reports.lab_markdown import markdown
from squall.reports.page.failures import Replay, TraceOf
from squall.reports.pairs import Pair
from squall.reports.summary import Summary
from squall.store.record import RunRecord


def write_beside(
    path_html: Path,
    summary: Summary,
    runs: Sequence[RunRecord],
    trace_of: TraceOf,
    *,
    title: str,
    replay: Replay,
    against: Sequence[Pair] = (),
) -> list[Path]:
    """Write `report.html` and beside it `report.csv`, `.xml`, `.md` and `.json`; the paths, the page's first.

    Raises OSError.
    """
    texts = {
        path_html: html(summary, runs, trace_of, title=title, replay=replay, against=against),
        path_html.with_suffix(".csv"): csv(summary),
        path_html.with_suffix(".xml"): junit(summary, runs),
        path_html.with_suffix(".md"): markdown(summary, against),
        path_html.with_suffix(".json"): json(summary, against),
    }
    for path, text in texts.items():
        path.write_bytes(text.encode(errors="backslashreplace"))
    return list(texts)
