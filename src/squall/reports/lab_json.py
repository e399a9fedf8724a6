"""The lab's summary as JSON, for programs. Format 1.

    {"format": "squall-lab", "v": 1, "squall": [versions], "headline": …, "runs": N, "met": N,
     "strategies": […], "scenarios": […], "faults": […], "rows": [{column: value}, …], "pairs": […],
     "limits": […], "notes": […]}

Rows as in `lab_rows`, null where there is no number. The same runs make the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from squall.reports.headline import headline
from squall.reports.lab_rows import DIGITS, rows
from squall.reports.limits import limits
from squall.reports.pairs import Pair
from squall.reports.summary import Summary

VERSION = 1


def data(summary: Summary, against: Sequence[Pair] = ()) -> dict[str, Any]:
    """The same as a value."""
    return {
        "format": "squall-lab",
        "v": VERSION,
        "squall": list(summary.versions),
        "headline": headline(summary),
        "runs": summary.runs,
        "met": summary.met,
        "strategies": _texts(summary.strategies),
        "scenarios": _texts(summary.scenarios),
        "faults": _texts(summary.faults),
        "rows": [
            {key: _text(value) if isinstance(value, str) else value for key, value in row.items()}
            for row in rows(summary)
        ],
        "pairs": [_pair(pair) for pair in against],
        "limits": limits(summary),
        "notes": _texts(summary.notes),
    }


def json(summary: Summary, against: Sequence[Pair] = ()) -> str:
    """The whole file."""
    return msgspec.json.format(msgspec.json.encode(data(summary, against)), indent=2).decode() + "\n"


def _pair(pair: Pair) -> dict[str, Any]:
    found = pair.comparison
    return {
        "a": _text(pair.a),
        "b": _text(pair.b),
        "runs": found.runs if found else 0,
        "both": found.both if found else 0,
        "only_a": found.only_a if found else 0,
        "only_b": found.only_b if found else 0,
        "neither": found.neither if found else 0,
        "difference": round(found.difference, DIGITS) if found else None,
        "low": round(found.interval.low, DIGITS) if found else None,
        "high": round(found.interval.high, DIGITS) if found else None,
        "p_value": round(found.p_value, DIGITS) if found else None,
        "alone": pair.alone,
        "same": pair.same,
        "sentence": _text(pair.sentence),
    }


def _texts(words: Sequence[str]) -> list[str]:
    return [_text(each) for each in words]


def _text(words: str) -> str:
    """JSON has no lone surrogates."""
    return words.encode(errors="backslashreplace").decode()
