"""Which kinds there are, by wire and name. Knows that they exist, and not what they do.

The same name may be a kind on either side: `timeout` of a tool is another one than that of a model. Sessions and events
stand on the side of the tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from squall.call import Wire
from squall.errors import nearest
from squall.faults.kind import Family, Kind
from squall.faults.kinds import (
    connection_lost,
    delay,
    duplicate,
    duplicate_delivery,
    embeddings,
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
    model,
    not_found,
    paged_tools,
    permission_denied,
    progress_only,
    server_exit,
    session_lost,
    stale_read,
    stream,
    timeout,
    tool_removed,
    truncated_result,
    wrong_value,
)

SIDES: tuple[Wire, ...] = ("tool", "model")

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
"""Those of tools, sessions and events, in the order of the documentation."""

MODEL_TABLE: tuple[Kind | Family, ...] = (*model.TABLE, *stream.TABLE, *embeddings.TABLE)
"""Those of models, in the order of the documentation."""

ALIASES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "provider_error": ("http_503", {}),
    "malformed_output": ("malformed_json", {}),
    "partial_stream": ("stream_disconnect", {"after": 1}),
}
"""Names for whole classes of fault: the kind that each stands for, and its parameters."""

Table = tuple[Kind | Family, ...]
KINDS: dict[str, Kind] = {entry.name: entry for entry in TABLE if isinstance(entry, Kind)}
FAMILIES: tuple[Family, ...] = tuple(entry for entry in TABLE if isinstance(entry, Family))
MODEL_KINDS: dict[str, Kind] = {entry.name: entry for entry in MODEL_TABLE if isinstance(entry, Kind)}
MODEL_FAMILIES: tuple[Family, ...] = tuple(entry for entry in MODEL_TABLE if isinstance(entry, Family))


@cache
def kind_named(name: str, wire: Wire = "tool") -> Kind | None:
    """The kind called `name` on that side, or None. `http_400` to `http_599` are kinds of their own."""
    kinds, families = (MODEL_KINDS, MODEL_FAMILIES) if wire == "model" else (KINDS, FAMILIES)
    return kinds.get(name) or next((kind for family in families if (kind := family.member(name))), None)


def is_kind(name: str) -> bool:
    """Whether there is a kind called `name` on any wire."""
    name, _ = ALIASES.get(name, (name, None))
    return any(kind_named(name, wire) for wire in SIDES)


def shown(wire: Wire = "tool") -> dict[str, Kind]:
    """Every name with its kind, in the order of the documentation; a family's with the kind that stands for it."""
    return {entry.name: entry.shown if isinstance(entry, Family) else entry for entry in _table(wire)}


def names(wire: Wire = "tool") -> list[str]:
    """Every name, in the order of the documentation, with `http_STATUS` for the family of statuses."""
    return [entry.name for entry in _table(wire)]


def range_of(name: str) -> str | None:
    """Which members the family has that `name` was meant to be one of; None where it begins like none of them."""
    families = (*FAMILIES, *MODEL_FAMILIES)
    return next((family.range for family in families if family.head and name.startswith(family.head)), None)


def nearest_kind(name: str, more: Iterable[str] = (), wire: Wire = "tool") -> str | None:
    """The kind that `name` was probably meant to be; `more` are other names that it may be near to."""
    kinds, families = (MODEL_KINDS, MODEL_FAMILIES) if wire == "model" else (KINDS, FAMILIES)
    return nearest_name(name, [*kinds, *(member for family in families for member in family.common), *more])


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The one that `name` was probably meant to be: spelt nearly so, or the only one with it as a word (`stall`)."""
    known = list(known)
    longer = [each for each in known if name.lower() in each.split("_")]
    return nearest(name, known) or (longer[0] if len(longer) == 1 else None)


def _table(wire: Wire) -> Table:
    return MODEL_TABLE if wire == "model" else TABLE
