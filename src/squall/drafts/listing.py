"""What a drafted list can be asked for beside equal fields: comparisons such as `total_gte`, and orders.

An argument is taken for one where it is called as a world would call it. Knows neither paths nor tools.
"""

from __future__ import annotations

from squall.drafts.draft import RecordDraft, is_plain
from squall.drafts.schemas import Node, Schemas
from squall.worlds.fields.typetext import parse
from squall.worlds.services.filters import comparisons

SORT = "sort"


def comparison(schemas: Schemas, record: RecordDraft, given: str, node: Node) -> str | None:
    """`total.gte` for an argument `total_gte` if the record has such a field; None for any other argument."""
    field, _, operator = given.rpartition("_")
    drafted = record.fields.get(field)
    if drafted is None or not isinstance(drafted.declared, str):
        return None
    kind = parse(drafted.declared, lambda _target: record.key)
    takes_many = schemas.shape(node).kind == "array"
    fits = operator in comparisons(kind) and takes_many == (operator == "in")
    return f"{field}.{operator}" if fits else None


def orders(schemas: Schemas, record: RecordDraft, given: str, node: Node) -> tuple[str, ...]:
    """The orders that the argument `sort` offers, if all of them are fields, perhaps with `-` before; else none."""
    offered = schemas.shape(node).facts.get("enum", ()) if given == SORT else ()
    fields = [text.removeprefix("-") if isinstance(text, str) else "" for text in offered]
    known = all(field in record.fields and is_plain(record.fields[field]) for field in fields)
    return tuple(dict.fromkeys(offered)) if known else ()
