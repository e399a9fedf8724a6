"""Lengths of time as people write them: `500ms`, `30s`, `5m`, `2h`, `1d`, `1h30m`. Knows no clock."""

from __future__ import annotations

import math
import re

from squall.errors import shown

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*", re.ASCII)
_WHOLE = re.compile(rf"\s*(?P<sign>-?)\s*(?P<parts>(?:{_PART.pattern})+)", re.ASCII)
_MAX_LENGTH = 100
_FOREVER = 1e100
_EXPECTED = "write a length of time such as 500ms, 30s, 5m, 2h or 1d (a number alone is seconds)"


def duration(value: object, *, signed: bool = False) -> float:
    """`value` in seconds: text with units, or a number of seconds.

    Below zero is accepted only if `signed`. Raises ValueError with a text for people.
    """
    if isinstance(value, str):
        seconds = _read(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = float(value) if abs(value) < _FOREVER else math.inf
    else:
        seconds = None
    if seconds is None or not math.isfinite(seconds):
        message = f"{shown(value)} is no length of time: {_EXPECTED}"
        raise ValueError(message)
    if seconds < 0 and not signed:
        message = f"a length of time cannot be below zero, and {shown(value)} is"
        raise ValueError(message)
    return seconds


def _read(text: str) -> float | None:
    whole = _WHOLE.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if whole is None:
        return None
    seconds = math.fsum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(whole["parts"]))
    return -seconds if whole["sign"] else seconds
