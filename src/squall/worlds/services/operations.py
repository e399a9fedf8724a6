"""What a service does: operations compiled from their plan and, for `custom`, their handler.

An operation is shared by all worlds of one file and is given the world at each call. Knows tables and transactions;
nothing of tools, faults or recording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from squall.call import Access, Target
from squall.worlds.file.plans import OperationPlan
from squall.worlds.file.spec import Kind
from squall.worlds.naming import article, plural
from squall.worlds.services import handling, kinds, nesting, signature
from squall.worlds.services.auth import Auth
from squall.worlds.services.idempotency import once
from squall.worlds.services.listing import Listing
from squall.worlds.services.params import Arguments, Converter, Param, input_schema
from squall.worlds.tables.records import Record
from squall.worlds.tables.transaction import Run

SHORT = 2
"""A name of so many letters says nothing."""


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation. On the wire it is a tool; `target` is what rooms that know no worlds are told of it."""

    tool: str
    service: str
    name: str
    kind: Kind
    record: str | None
    access: Access
    description: str
    params: tuple[Param, ...]
    input_schema: dict[str, Any] = field(repr=False)
    output_schema: dict[str, Any] | None = field(repr=False)
    returns: tuple[str, ...] | None
    is_async: bool
    idempotent: bool
    destructive: bool
    target: Target = field(repr=False)
    run: Run = field(repr=False, compare=False)
    addresses: tuple[tuple[str, str], ...] = ()
    """Arguments that hold the id of a dated row, each with its record: the age of a call is that row's."""

    def __str__(self) -> str:
        return f"{self.service}.{self.name}"


def compile_operation(
    plan: OperationPlan, handler: Callable[..., Any] | None, records: Mapping[str, Record]
) -> Operation:
    """The operation that `plan` describes.

    Raises `signature.BadSignature` when its handler does not fit, `auth.TakenArgument` when an argument of it does not.
    """
    if plan.renews and plan.auth is not None:
        return _renewing(plan, plan.auth)
    if handler is not None:
        return _custom(plan, handler, records)
    record = plan.record
    assert record is not None, plan.name  # noqa: S101 - the blueprint has seen to it
    if plan.kind == "list":
        return _listed(plan, record)
    params = _params(plan, record)
    converters: dict[str, Converter | None] = {param.name: record.fields.get(param.name) for param in params}
    run = kinds.RUNS[plan.kind](plan, record, Arguments(params, converters))
    return _operation(
        plan,
        description=plan.description or _described(plan, record),
        params=params,
        output_schema=nesting.schema(record, plan.include),
        returns=(*record.fields, *(child.key for child in plan.include)),
        is_async=False,
        run=run if plan.key is None else once(plan.tool, plan.key, run, record.fields, plan.include),
        addresses=_addresses(plan, params, records),
    )


def _listed(plan: OperationPlan, record: Record) -> Operation:
    listing = Listing(plan, record)
    return _operation(
        plan,
        description=plan.description or _described(plan, record),
        params=listing.params,
        output_schema=listing.schema,
        returns=listing.returns,
        empty=listing.empty,
        is_async=False,
        run=listing.run,
        addresses=(),
    )


def _operation(plan: OperationPlan, **parts: Any) -> Operation:
    if plan.auth is not None and not plan.renews:
        parts["params"], parts["run"] = plan.auth.among(parts["params"]), plan.auth.guard(parts["run"])
    params: tuple[Param, ...] = parts["params"]
    target = Target(
        name=f"{plan.service}.{plan.name}",
        tool=plan.tool,
        access=plan.access,
        fields=tuple(param.name for param in params),
        returns=parts["returns"],
        dated=bool(parts["addresses"]),
        many=plan.kind == "list" and plan.page_size is None,
        schemas=input_schema(params)["properties"],
        required=tuple(param.name for param in params if param.required),
        empty=parts.pop("empty", {}),
        key=None if plan.key is None else plan.key.field,
    )
    return Operation(
        tool=plan.tool,
        service=plan.service,
        name=plan.name,
        kind=plan.kind,
        record=plan.record.name if plan.record else None,
        access=plan.access,
        idempotent=plan.idempotent,
        destructive=plan.destructive,
        input_schema=input_schema(params),
        target=target,
        **parts,
    )


def _renewing(plan: OperationPlan, auth: Auth) -> Operation:
    return _operation(
        plan,
        description=plan.description,
        params=(auth.param,),
        output_schema=auth.answer,
        returns=("token", "expires_in"),
        is_async=False,
        run=auth.renew,
        addresses=(),
    )


def _custom(plan: OperationPlan, handler: Callable[..., Any], records: Mapping[str, Record]) -> Operation:
    read = signature.read(handler)
    return _operation(
        plan,
        description=plan.description or read.description or _named(plan),
        params=read.params,
        output_schema=None,
        returns=None,
        is_async=read.is_async,
        run=handling.runner(handler, Arguments(read.params, read.converters), plan, is_async=read.is_async),
        addresses=_addresses(plan, read.params, records),
    )


def _named(plan: OperationPlan) -> str:
    """`Cancel order.`, where nobody says what an operation does and its name has to."""
    words = plan.name.replace("_", " ")
    return f"{words.capitalize()}." if len(words) > SHORT else f"The operation {plan.name} of {plan.service}."


def _params(plan: OperationPlan, record: Record) -> tuple[Param, ...]:
    version = record.lifecycle.version

    def param(name: str, *, required: bool = False) -> Param:
        schema = record.fields[name].schema()
        words = schema.pop("description", None)
        if name == "id" and plan.kind != "create":
            words = f"the id of the {record.short}"
        if name == version:
            words = f"the {name} of the {record.short} that you read; the update is refused if it has another by now"
            schema = {"type": "integer"}
        begins = plan.defaults.get(name)
        if begins is not None and begins.is_now:
            words = f"{f'{words}; ' if words else ''}the time of the call if left out"
        return Param(name, required, schema, None if begins is None else begins.wire, words)

    if plan.kind in ("get", "delete"):
        return (param("id", required=True),)
    if plan.kind == "update":
        first = ["id"] if version is None else ["id", version]
        params = [param(name, required=True) for name in first]
        return (*params, *(param(name) for name in record.fields if name not in first))
    params = [param(name, required=name in plan.required) for name in record.fields if name != version]
    if plan.key is not None:
        params = [param for param in params if param.name != plan.key.field]
        params.append(plan.key.param(required=plan.key.field in plan.required))
    params += [child.param(required=child.key in plan.required) for child in plan.include]
    given = [found for name in plan.required for found in params if found.name == name]
    return (*given, *(found for found in params if not found.required))


def _described(plan: OperationPlan, record: Record) -> str:
    words = record.short.replace("_", " ")
    if plan.kind == "list":
        return _described_list(plan, plural(words))
    if plan.kind == "update":
        return f"Update {article(words)}; fields that are not given stay as they are."
    if plan.kind == "create":
        return f"Create {article(words)}{_with(plan)}."
    return f"{plan.kind.capitalize()} {article(words)} by its id{_with(plan)}."


def _with(plan: OperationPlan) -> str:
    inside = [child.key.replace("_", " ") for child in plan.include]
    return f", with its {' and '.join(inside)}" if inside else ""


def _described_list(plan: OperationPlan, rows: str) -> str:
    equal = [each.field for each in plan.filters if each.operator is None]
    text = f"List {rows}{_with(plan).replace('its', 'their')}"
    if equal:
        text += f", all or those with a given {' and '.join(equal)}"
    elif plan.filters:
        text += ", all or some of them"
    if plan.page_size is None:
        return f"{text}."
    return f"{text}, {plan.page_size} at a time: give next_cursor as cursor to get those that follow."


def _addresses(
    plan: OperationPlan, params: tuple[Param, ...], records: Mapping[str, Record]
) -> tuple[tuple[str, str], ...]:
    """The arguments that say which dated row a call is about: `id`, or in a handler `<record>` or `<record>_id`."""
    names = [param.name for param in params]
    if plan.record is not None and "id" in names and plan.kind != "create":
        return (("id", plan.record.name),) if plan.record.dated else ()
    if plan.kind != "custom":
        return ()
    found = []
    for name in names:
        meant = [record for record in records.values() if name in (record.short, f"{record.short}_id")]
        own = [record for record in meant if record.service == plan.service] or meant
        if len(own) == 1 and own[0].dated:
            found.append((name, own[0].name))
    return tuple(found[:1])
