"""Which kinds there are, by name."""

from __future__ import annotations

from functools import cache

from squall.errors import nearest
from squall.faults.kind import Kind
from squall.faults.kinds import (
    connection_lost,
    duplicate_delivery,
    empty_result,
    error_in_200,
    hang,
    http_status,
    is_error,
    latency,
    malformed_json,
    missing_field,
    not_found,
    permission_denied,
    stale_read,
    timeout,
    tool_removed,
    truncated_result,
    wrong_value,
)

KINDS: dict[str, Kind] = {
    module.KIND.name: module.KIND
    for module in (
        timeout,
        connection_lost,
        hang,
        not_found,
        permission_denied,
        is_error,
        error_in_200,
        empty_result,
        malformed_json,
        truncated_result,
        wrong_value,
        missing_field,
        stale_read,
        duplicate_delivery,
        latency,
        tool_removed,
    )
}
SHOWN_STATUS = "http_STATUS"


@cache
def kind_named(name: str) -> Kind | None:
    """The kind called `name`, or None. `http_400` to `http_599` are kinds of their own."""
    if name in KINDS:
        return KINDS[name]
    status = http_status.parse(name)
    return None if status is None else http_status.kind_for(status)


def names() -> list[str]:
    """Every name, in the order of the documentation, with `http_STATUS` for the family of statuses."""
    return [*list(KINDS)[:3], SHOWN_STATUS, *list(KINDS)[3:]]


def nearest_kind(name: str) -> str | None:
    """The kind that `name` was probably meant to be."""
    common = (
        "http_400",
        "http_401",
        "http_404",
        "http_409",
        "http_429",
        "http_500",
        "http_502",
        "http_503",
        "http_504",
    )
    return nearest(name, [*KINDS, *common])
