"""Which kinds there are, by name."""

from __future__ import annotations

from collections.abc import Iterable
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
    late_reply,
    latency,
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
        session_lost,
        server_exit,
        late_reply,
        progress_only,
        paged_tools,
    )
}
SHOWN_STATUS = "http_STATUS"
COMMON = (400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504)


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


def nearest_kind(name: str, more: Iterable[str] = ()) -> str | None:
    """The kind that `name` was probably meant to be; `more` are other names that it may be near to."""
    return nearest(name, [*KINDS, *(f"http_{status}" for status in COMMON), *more])
