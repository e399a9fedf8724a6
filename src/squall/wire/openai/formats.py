"""In which form an answer is asked for: text, any JSON, or an instance of a schema. Shared by chat and responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.wire.openai import fields, offers, refusals

KINDS = ("text", "json_object", "json_schema")
ANY_OBJECT: Mapping[str, Any] = {"type": "object"}


def schema_of(raw: Any, param: str, *, nested: bool) -> Mapping[str, Any] | None:
    """The schema that an answer has to be an instance of. `nested`: name and schema are one level down, as in chat."""
    if raw is None:
        return None
    fields.mapping(raw, param)
    kind = fields.required_string(raw, "type", f"{param}.type")
    if kind not in KINDS:
        raise refusals.not_one_of(f"{param}.type", kind, KINDS)
    if kind == "text":
        return None
    if kind == "json_object":
        return ANY_OBJECT
    where = f"{param}.json_schema" if nested else param
    holder = fields.required_mapping(raw, "json_schema", where) if nested else raw
    name = offers.named(holder, f"{where}.name")
    strict = holder.get("strict")
    if strict is not None:
        fields.boolean(strict, f"{where}.strict")
    if holder.get("schema") is None:
        if nested:
            return ANY_OBJECT
        raise refusals.missing(f"{where}.schema")
    schema = fields.required_mapping(holder, "schema", f"{where}.schema")
    offers.check_schema(schema, param, f"{param.rpartition('.')[2]} '{name}'", None, strict=bool(strict))
    return schema
