"""A point: a place where a fault can happen in one run, named so that the same call gets the same name in every run.

Arguments that differ in each run (ids minted by the agent, time stamps, idempotency keys) are masked in the digest, so
that they make no new points. Knows no clock, world or rule: what time it is and which names are volatile is handed in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec

from squall.canonical import digest, plain

UUID_LIKE = re.compile(r"\A\{?[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\}?\Z")
STAMP_LIKE = re.compile(r"\A\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
MASKED = "\N{BULLET}"
SHORTEST_STAMP = 16  # 2025-06-01T00:00
NEAR = 3600.0  # seconds around "now" within which a value counts as the current time
EARLIEST_EPOCH = 1e9  # 2001; smaller numbers are amounts and counts, not times
MILLISECONDS = 1e11  # an epoch above this is in milliseconds
LATEST_EPOCH = 1e14  # in milliseconds, the year 5138; larger numbers are ids
DIGEST_LENGTH = 16
REMEMBERED = 1024  # digests of simple arguments


class Point(msgspec.Struct, frozen=True):
    """`digest` is of the masked arguments, `nth` counts equal calls from 1, `attempt` a call's tries on the wire."""

    wire: str
    scope: str
    target: str
    digest: str
    nth: int
    attempt: int = 1

    @property
    def key(self) -> tuple[str, str, str, str, int, int]:
        """The point as a key for `squall.canonical.uniform`."""
        return (self.wire, self.scope, self.target, self.digest, self.nth, self.attempt)


def digest_of(args: Mapping[str, Any], volatile: Collection[str], nows: tuple[float, ...]) -> tuple[str, list[str]]:
    """The digest of `args` (16 hexadecimal digits) and the paths that were masked.

    `volatile` are names of arguments to mask wherever they stand; `nows` the instants, in epoch seconds, that count as
    the current time (the run's clock, and the wall's). Raises nothing: what has no canonical form has a plain one.
    """
    try:
        if _are_simple(args, volatile):
            return _digest_of_simple(tuple(args.items())), []
        return _digest_of(args, volatile, nows)
    except (ValueError, RecursionError):  # an agent may pass anything, and its call must still have a point
        return _digest_of(plain(args), volatile, nows)


def _are_simple(args: Mapping[str, Any], volatile: Collection[str]) -> bool:
    """Whether nothing can be masked, as in most calls: short texts and ordinary numbers under ordinary names.

    Such arguments have equal digests where they are equal in Python (1 and 1.0 do; True is no number here).
    """
    for name, value in args.items():
        kind = type(value)
        if kind is str:
            if len(value) >= SHORTEST_STAMP:
                return False
        elif (kind is not int and kind is not float) or abs(value) > EARLIEST_EPOCH:
            return False
        if type(name) is not str or name in volatile:
            return False
    return True


@lru_cache(REMEMBERED)
def _digest_of_simple(items: tuple[tuple[str, str | float], ...]) -> str:
    return digest(dict(items))[:DIGEST_LENGTH]


def _digest_of(args: Mapping[str, Any], volatile: Collection[str], nows: tuple[float, ...]) -> tuple[str, list[str]]:
    masked: list[str] = []

    def mask(value: Any, path: str, name: Any) -> Any:
        if name in volatile or _differs(value, nows):
            masked.append(path)
            return MASKED
        if isinstance(value, str):  # most are; to ask about mappings takes longer
            return value
        if isinstance(value, Mapping):
            return {key: mask(item, f"{path}.{key}", key) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [mask(item, f"{path}.{place}", None) for place, item in enumerate(value)]
        return value

    kept = {name: mask(value, name, name) for name, value in args.items()}
    return digest(kept)[:DIGEST_LENGTH], masked


def _differs(value: Any, nows: tuple[float, ...]) -> bool:
    """Whether the value looks like a UUID or like the current time."""
    if isinstance(value, str):
        if len(value) < SHORTEST_STAMP:
            return False
        if STAMP_LIKE.match(value):
            return _near(_epoch(value), nows)
        return UUID_LIKE.match(value) is not None
    if isinstance(value, int | float) and not isinstance(value, bool) and EARLIEST_EPOCH < value < LATEST_EPOCH:
        return _near(value / 1000 if value > MILLISECONDS else value, nows)
    if isinstance(value, datetime):
        return _near((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp(), nows)
    return False


def _epoch(text: str) -> float | None:
    try:
        when = datetime.fromisoformat(text)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _near(epoch: float | None, nows: tuple[float, ...]) -> bool:
    return epoch is not None and any(abs(epoch - now) <= NEAR for now in nows)
