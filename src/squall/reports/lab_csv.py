"""The lab's aggregate rows as CSV (RFC 4180, UTF-8, lines end with CRLF), for spreadsheets.

Columns as in `lab_rows`; a cell is empty where there is no number. A name that a spreadsheet would take for a formula
has an apostrophe before it.
"""

from __future__ import annotations

import csv as writer_of
from io import StringIO
from typing import Any

from squall.canonical import number
from squall.reports.lab_rows import COLUMNS, rows
from squall.reports.summary import Summary
from squall.reports.visible import visible

FORMULA = ("=", "+", "-", "@")
LONGEST = 500


def csv(summary: Summary) -> str:
    """The whole file."""
    file = StringIO(newline="")
    writer = writer_of.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows([_shown(value) for value in row.values()] for row in rows(summary))
    return file.getvalue()


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return number(value)
    words = visible(str(value), LONGEST)
    return f"'{words}" if words.lstrip().startswith(FORMULA) and isinstance(value, str) else words
