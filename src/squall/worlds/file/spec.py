"""The world file as people write it: its keys, what each means, and which are allowed.

The shapes only; what the texts inside mean (types, references, records) is read by `blueprint`. `squall schema world`
prints `WorldSpec.model_json_schema()`. Knows no table and runs no code.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from squall.worlds.file.shapes import MOST_ROWS

Kind = Literal["get", "list", "create", "update", "delete", "custom"]
KINDS: tuple[Kind, ...] = ("get", "list", "create", "update", "delete", "custom")

_TYPE_SCHEMA = {
    "description": "A type: str int float bool datetime date decimal, enum[a, b], ref[service.record], list[T], with a "
    "range int[1..10] (float[>0..<1] without its bounds), a hint str(email), or ? for optional; a mapping for nested "
    "fields; a list of one type.",
    "anyOf": [{"type": "string"}, {"type": "object"}, {"type": "array", "minItems": 1, "maxItems": 1}],
}
_RECORD_SCHEMA = {
    "description": "Fields with their types; or the long form: fields, and beside them the rules of their updates.",
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "fields": {"type": "object", "additionalProperties": _TYPE_SCHEMA},
                "transitions": {
                    "description": "By field (an enum) and state, the states that may follow; others are final.",
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "additionalProperties": {"type": "array", "items": {"type": "string"}},
                    },
                },
                "version": {
                    "description": "The int field that counts a row's updates: an update names the one that it read.",
                    "type": "string",
                },
                "emits": {
                    "description": "By field (an enum) and state, the event that it is when an update leads there.",
                    "type": "object",
                    "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            },
            "required": ["fields"],
            "additionalProperties": False,
        },
        {"type": "object", "additionalProperties": _TYPE_SCHEMA},
    ],
}
RecordDeclaration = Annotated[dict[str, Any], WithJsonSchema(_RECORD_SCHEMA)]
_SEED_SCHEMA: dict[str, Any] = {
    "description": "What one record starts with: a number of rows, fixed rows (what they leave out is generated), or "
    "several: `rows`, then those of the file `from`, and generated ones that fill up to `count`.",
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": MOST_ROWS},
        {"type": "array", "items": {"type": "object"}},
        {
            "type": "object",
            "properties": {
                "from": {
                    "type": "string",
                    "description": "A .csv, .json (a list of objects) or .jsonl file beside this one.",
                },
                "count": {"type": "integer", "minimum": 0, "maximum": MOST_ROWS},
                "rows": {"type": "array", "items": {"type": "object"}},
            },
            "additionalProperties": False,
        },
    ],
}
RecordSeed = Annotated[Any, WithJsonSchema(_SEED_SCHEMA)]
_DURATION = {
    "description": "A length of time: 500ms, 30s, 5m, 2h, 1d; a number is seconds.",
    "type": ["string", "number"],
}
Duration = Annotated[Any, WithJsonSchema(_DURATION)]
_KEY_SCHEMA = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"field": {"type": "string"}, "expires": _DURATION},
            "required": ["field"],
            "additionalProperties": False,
        },
    ],
}
KeyDeclaration = Annotated[Any, WithJsonSchema(_KEY_SCHEMA)]
Count = Annotated[int, Field(ge=0, le=MOST_ROWS, strict=True)]


class Strict(BaseModel):
    """Base of the models of a file: an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SeedSpec(BaseModel):
    """What the tables of a service start with. Any key but `count` is the name of a record.

    In a service with a single record, `from` is the data file of that.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, RecordSeed]

    from_: Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, *_SEED_SCHEMA["anyOf"]]})] = Field(
        None, alias="from", description="The data file of the service's only record."
    )
    count: Count | None = Field(
        None, description="How many rows each record of the service has; generated rows fill up."
    )


class OperationSpec(Strict):
    """One thing a service does; agents see it as a tool."""

    kind: Kind = Field(
        description="What it does: get, list, create, update, delete on a record, or custom (a handler)."
    )
    record: str | None = Field(None, description="The record it works on; service.record for one of another service.")
    filter: list[str] | None = Field(
        None,
        description="list: what can be filtered by: a field (equality), or a field with .gt .gte .lt .lte .in "
        ".contains (`total.gte` is the argument total_gte).",
    )
    sort: list[str] | None = Field(
        None, description="list: what can be sorted by: fields, with - in front for the largest or latest first."
    )
    page_size: Annotated[int, Field(ge=1, strict=True)] | None = Field(
        None, description="list: rows of a page; the answer has next_cursor, which is the argument cursor."
    )
    lag: Duration | None = Field(
        None, description="list: how old the state is that it reads, as in a search index: 2s. Other reads are fresh."
    )
    include: list[str] | None = Field(
        None,
        description="get, list, create: records that refer to this one, whose rows are inside the answer (`items`, "
        "or `transfers.source` to say by which field); create takes them as arrays.",
    )
    idempotency_key: KeyDeclaration = Field(
        None,
        description="create: the argument that is an idempotency key (a field of the record, or beside it); keys are "
        "remembered for 24 hours unless `expires` says otherwise.",
    )
    required: list[str] | None = Field(None, description="create: the fields that must be given.")
    defaults: dict[str, Any] | None = Field(
        None,
        description="create: what fields begin with that a call leaves out; now, for a moment or a day, is the time of "
        "the call. Without one they are null.",
    )
    emits: str | None = Field(
        None, description="create, update, delete, custom: the event that happens when a call has succeeded."
    )
    handler: str | None = Field(None, description="custom: module.func, called as func(world, clock, **args).")
    description: str | None = Field(None, description="What agents read about the tool.")
    access: Literal["read", "write"] | None = Field(None, description="custom: whether it may write (the default).")
    idempotent: bool | None = Field(None, description="custom: whether a second equal call changes nothing more.")
    destructive: bool | None = Field(None, description="custom: whether it may change or remove what is there.")


class AuthSpec(Strict):
    """How a service is entered: each of its operations takes a token, and answers 401 without a good one."""

    token: str = Field(description="The token that is good from the start of the run.")
    expires: Duration | None = Field(None, description="For how long a token is good: 1h. For ever if left out.")
    refresh: str | None = Field(
        None, description="The name of the operation that gives a new token for an old one. None if left out."
    )
    argument: str = Field("token", description="What the token is called among the arguments of operations.")


class ServiceSpec(Strict):
    """A fake service: its records, what they start with and what it does."""

    records: dict[str, RecordDeclaration] = Field(
        default={}, description="Records by name, each a mapping of field to type. `id` is there unless declared."
    )
    seed: SeedSpec | None = Field(None, description="What the tables start with.")
    auth: AuthSpec | None = Field(None, description="The token that its operations ask for.")
    listens: dict[str, str] = Field(
        default={}, description="By event, module.func, called as func(world, clock, event) when it is delivered."
    )
    operations: dict[str, OperationSpec] = Field(default={}, description="Operations by name.")


class WorldSpec(Strict):
    """A world file: fake services with state, declared."""

    name: str | None = Field(None, description="What the world is called; the file's name if left out.")
    seed: Annotated[int, Field(strict=True)] = Field(0, description="Which generated rows there are.")
    services: dict[str, ServiceSpec] = Field(description="Services by name.")
    faults: Any = Field(None, description="The fault plan that belongs to this world.")
    tool_names: Literal["short", "qualified"] = Field(
        "short", description="short serves an operation under its own name, qualified as service_operation."
    )
    volatile: list[str] = Field(default=[], description="Argument names whose values differ in every run.")
