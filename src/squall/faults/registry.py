"""Which kinds there are, by name. Knows that they exist, and not what they do."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from squall.errors import nearest
from squall.faults.kind import Family, Kind
from squall.faults.kinds import (
    connection_lost,
    delay,
    duplicate,
    duplicate_delivery,
    empty_result,
    error_in_200,
    hang,
    http_status,
    is_error,
    late_reply,
    latency,
    lost,
    malformed_json,
    missing_field,
    not_found,
    paged_tools,
    permission_denied,
    progress_only,
    server_exit,
    session_lost,
    stale_read,
    timeout,
    tool_removed,
    truncated_result,
    wrong_value,
)

TABLE: tuple[Kind | Family, ...] = (
    timeout.KIND,
    connection_lost.KIND,
    hang.KIND,
    http_status.FAMILY,
    not_found.KIND,
    permission_denied.KIND,
    is_error.KIND,
    error_in_200.KIND,
    empty_result.KIND,
    malformed_json.KIND,
    truncated_result.KIND,
    wrong_value.KIND,
    missing_field.KIND,
    stale_read.KIND,
    duplicate_delivery.KIND,
    latency.KIND,
    tool_removed.KIND,
    session_lost.KIND,
    server_exit.KIND,
    late_reply.KIND,
    progress_only.KIND,
    paged_tools.KIND,
    duplicate.KIND,
    delay.KIND,
    lost.KIND,
)
"""All of them, in the order of the documentation."""

KINDS: dict[str, Kind] = {entry.name: entry for entry in TABLE if isinstance(entry, Kind)}
FAMILIES: tuple[Family, ...] = tuple(entry for entry in TABLE if isinstance(entry, Family))


@cache
def kind_named(name: str) -> Kind | None:
    """The kind called `name`, or None. `http_400` to `http_599` are kinds of their own."""
    return KINDS.get(name) or next((kind for family in FAMILIES if (kind := family.member(name))), None)


def shown() -> dict[str, Kind]:
    """Every name with its kind, in the order of the documentation; a family's with the kind that stands for it."""
    return {entry.name: entry.shown if isinstance(entry, Family) else entry for entry in TABLE}


def names() -> list[str]:
    """Every name, in the order of the documentation, with `http_STATUS` for the family of statuses."""
    return [entry.name for entry in TABLE]


def range_of(name: str) -> str | None:
    """Which members the family has that `name` was meant to be one of; None where it begins like none of them."""
    return next((family.range for family in FAMILIES if family.head and name.startswith(family.head)), None)


def nearest_kind(name: str, more: Iterable[str] = ()) -> str | None:
    """The kind that `name` was probably meant to be; `more` are other names that it may be near to."""
    return nearest(name, [*KINDS, *(member for family in FAMILIES for member in family.common), *more])
