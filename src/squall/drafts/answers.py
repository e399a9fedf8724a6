"""What an answer holds: the row inside a wrapper, the rows of a list. Knows no path and no tool."""

from __future__ import annotations

from squall.drafts.schemas import Node, Schemas, Shape

_WRAPPERS = ("data", "result", "item", "record", "response", "payload")
_LISTS = ("data", "items", "results", "result", "value", "values", "records", "rows", "entries", "content")


def row(schemas: Schemas, node: Node | None, *called: str) -> Shape | None:
    """The object that an answer is or wraps; `called` are further names that it may be wrapped under."""
    if node is None:
        return None
    shape = schemas.shape(node)
    if not shape.is_object:
        return None
    if "id" not in shape.properties:
        for name in (*called, *_WRAPPERS):
            inner = schemas.shape(shape.properties[name]) if name in shape.properties else None
            if inner is not None and inner.is_object:
                return inner
    return shape


def rows(schemas: Schemas, node: Node | None) -> Shape | None:
    """What the items of a listing answer are; None if it lists nothing."""
    if node is None:
        return None
    shape = schemas.shape(node)
    if shape.kind == "array":
        return schemas.shape(shape.items) if shape.items is not None else None
    if not shape.is_object or "id" in shape.properties:
        return None
    wrapped = [name for name in _LISTS if name in shape.properties]
    for name in (*wrapped, *(name for name in shape.properties if name not in wrapped)):
        inner = schemas.shape(shape.properties[name])
        if inner.kind == "array" and inner.items is not None:
            item = schemas.shape(inner.items)
            if item.is_object or name in wrapped:
                return item
    return None
