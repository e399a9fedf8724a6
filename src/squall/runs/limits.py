"""The numbers that a run is given: limits that end it if it does not end by itself, its seed, its run index.

Knows no clock: whoever counts and waits holds on to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from squall.documents import duration
from squall.errors import Problem, UsageError, nearest, shown
from squall.faults import Limits

STANDARD = Limits()
ENDLESS = Limits(seconds=1e9, calls=10**15)


def limits_with(plan: Limits, given: Mapping[str, Any] | None) -> Limits:
    """The plan's limits with those given in their place: `seconds` (also as text, `10m`), `calls`, `tokens`."""
    limits = plan
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(Problem(f"limits is {shown(given)}", hint="Give a mapping: {'seconds': 600, 'calls': 50}."))
    for key, value in (given or {}).items():
        if key not in Limits.__struct_fields__:
            close, valid = nearest(key, Limits.__struct_fields__), ", ".join(Limits.__struct_fields__)
            raise UsageError(Problem(f"unknown limit {shown(key)}", nearest=close, hint=f"Limits: {valid}."))
        limits = replace(limits, **{key: _limit(key, value)})
    return limits


def unless_stated(limits: Limits) -> Limits:
    """What a server may do, that lives as long as it is wanted: limits are those that somebody stated."""
    stated = {key: getattr(limits, key) for key in Limits.__struct_fields__}
    kept = {key: value for key, value in stated.items() if value != getattr(STANDARD, key)}
    return replace(ENDLESS, **kept)


def told_limits(limits: Limits) -> dict[str, float]:
    """The limits as a trace holds them: tokens only where somebody limits them."""
    tokens = {} if limits.tokens is None else {"tokens": limits.tokens}
    return {"seconds": limits.seconds, "calls": limits.calls, **tokens}


def _limit(key: str, value: Any) -> float:
    """One limit. Raises UsageError for what is no length of time, or no number of calls or tokens."""
    if key != "seconds":
        if type(value) is not int or value < 1:
            raise UsageError(Problem(f"the limit {key!r} is {shown(value)}", hint="Give a whole number from 1 on."))
        return value
    try:
        seconds = duration(value)
    except ValueError as error:
        raise UsageError(Problem(f"the limit 'seconds': {error}")) from None
    if not seconds:
        raise UsageError(Problem("the limit 'seconds' is 0", hint="Give more than nothing, 10m or 3600 for example."))
    return seconds


def whole(name: str, value: Any, least: int | None = None) -> int:
    """A seed or a run index. Raises UsageError for what is no whole number, or is below `least`."""
    if type(value) is not int or (least is not None and value < least):
        from_on = "" if least is None else f" from {least} on"
        raise UsageError(Problem(f"{name} is {shown(value)}", hint=f"Give a whole number{from_on}."))
    return value
