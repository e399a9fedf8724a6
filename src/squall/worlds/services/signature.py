"""A handler's signature read as the arguments of a tool: `func(world, clock, order_id: str, limit: int = 10)`.

Annotations become types: those of world files where there is one, pydantic's for the rest (`TypedDict`, models,
`Annotated[int, Field(ge=1)]`). Knows functions; finds and calls none.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types as python_types
import typing
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple, get_args, get_origin

from squall.errors import suggestion
from squall.worlds.fields.compound import ListType
from squall.worlds.fields.numeric import DecimalType, FloatType, IntType
from squall.worlds.fields.types import BoolType, DatetimeType, DateType, EnumType, FieldType, StrType, Unfit
from squall.worlds.services.jsonready import ready
from squall.worlds.services.params import Converter, Param

GIVEN = ("world", "clock")
"""What every handler gets first."""

_SIMPLE: dict[Any, FieldType] = {
    str: StrType("str"),
    int: IntType("int"),
    float: FloatType("float"),
    bool: BoolType("bool"),
    datetime: DatetimeType("datetime"),
    date: DateType("date"),
    Decimal: DecimalType("decimal"),
}


class BadSignature(ValueError):
    """A handler that cannot be called as `func(world, clock, **args)`, or whose annotations mean nothing."""


class Read(NamedTuple):
    """What a handler's signature says."""

    params: tuple[Param, ...]
    converters: dict[str, Converter | None]
    description: str | None
    is_async: bool


def read(handler: Callable[..., Any]) -> Read:
    """The arguments that `handler` takes after the world and the clock. Raises `BadSignature`."""
    _returns(handler)
    parameters = list(_signature(handler).parameters.values())
    for position, name in enumerate(GIVEN):
        if position >= len(parameters) or not _is_first(parameters[position], name):
            found = ", ".join(parameter.name for parameter in parameters) or "nothing"
            raise BadSignature(f"takes ({found}), but is called as func(world, clock, **args): begin with world, clock")
    params = []
    converters: dict[str, Converter | None] = {}
    for parameter in parameters[len(GIVEN) :]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise BadSignature(f"takes {parameter}, but a tool has named arguments: name each of them")
        converter, schema = _converter(parameter)
        converters[parameter.name] = converter
        required = parameter.default is parameter.empty
        params.append(Param(parameter.name, required, schema, None if required else _shown_default(parameter.default)))
    return Read(tuple(params), converters, _first_paragraph(handler), _is_async(handler))


def listens(handler: Callable[..., Any]) -> bool:
    """Whether a listener is async. Raises `BadSignature` if it cannot be called as `func(world, clock, event)`."""
    _returns(handler)
    found = [parameter.name for parameter in _signature(handler).parameters.values()]
    given = (*GIVEN, "event")
    try:
        _signature(handler).bind(*given)
    except TypeError:
        taken = ", ".join(found) or "nothing"
        raise BadSignature(f"takes ({taken}), but is called as func({', '.join(given)})") from None
    return _is_async(handler)


def _returns(handler: Callable[..., Any]) -> None:
    called = [handler, vars(type(handler)).get("__call__")]
    if any(map(inspect.isgeneratorfunction, called)) or any(map(inspect.isasyncgenfunction, called)):
        raise BadSignature("is a generator, so calling it runs nothing: return the answer instead of yielding it")


def _signature(handler: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(handler, eval_str=True)
    except NameError as error:
        name = error.name or ""
        tail = suggestion(name, [*getattr(handler, "__globals__", {}), *dir(typing)])
        raise BadSignature(f"has an annotation that means nothing: {error}{tail and f'; {tail}'}") from None
    except Exception as error:  # noqa: BLE001 - annotations are the user's code
        raise BadSignature(f"has a signature that cannot be read: {type(error).__name__}: {error}") from None


def _is_first(parameter: inspect.Parameter, name: str) -> bool:
    return parameter.name == name and parameter.kind in (
        parameter.POSITIONAL_ONLY,
        parameter.POSITIONAL_OR_KEYWORD,
    )


def _is_async(handler: Callable[..., Any]) -> bool:
    called = vars(type(handler)).get("__call__")  # an object with `async def __call__` is a handler too
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(called)


def _first_paragraph(handler: Callable[..., Any]) -> str | None:
    paragraph = (inspect.getdoc(handler) or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split()) or None


def _shown_default(default: Any) -> Any:
    try:
        return ready(default)
    except TypeError:
        return None


def _converter(parameter: inspect.Parameter) -> tuple[Converter | None, dict[str, Any]]:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        annotation = type(parameter.default) if type(parameter.default) in _SIMPLE else Any
    if annotation is Any or annotation is object:
        return None, {}
    kind = field_type(annotation)
    if kind is None:
        return _pydantic(parameter.name, annotation)
    if parameter.default is None and not kind.optional:
        kind = _optional(kind)  # `note: str = None` may be null, whatever it says
    if isinstance(kind, EnumType) and isinstance(annotation, type):
        return _Members(annotation, kind), kind.schema()
    return kind, kind.schema()


def field_type(annotation: Any) -> FieldType | None:
    """The type of world files that an annotation means, or None where there is none."""
    if annotation in _SIMPLE if isinstance(annotation, type) else False:
        return _SIMPLE[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(isinstance(member, str) for member in inner):
        return EnumType("enum", members=inner)
    if origin is list and len(inner) == 1:
        item = field_type(inner[0])
        return None if item is None or isinstance(inner[0], enum.EnumMeta) else ListType("list", item=item)
    if origin in (typing.Union, python_types.UnionType) and type(None) in inner:
        kinds = [field_type(part) for part in inner if part is not type(None)]
        return _optional(kinds[0]) if len(kinds) == 1 and kinds[0] is not None else None
    if isinstance(annotation, enum.EnumMeta):
        members: Mapping[str, Any] = annotation.__members__
        values = [member.value for member in members.values()]
        return EnumType("enum", members=tuple(values)) if all(isinstance(value, str) for value in values) else None
    return None


def _optional(kind: FieldType) -> FieldType:
    return dataclasses.replace(kind, optional=True)


class _Members:
    """Gives a handler the member of its Enum, not its text."""

    def __init__(self, members: Any, kind: FieldType) -> None:
        self._members = members
        self._kind = kind

    def check(self, value: Any) -> Any:
        text = self._kind.check(value.value if isinstance(value, self._members) else value)
        return None if text is None else self._members(text)


class _Adapter:
    """Checks with pydantic."""

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter

    def check(self, value: Any) -> Any:
        from pydantic import ValidationError  # loaded by whoever made the adapter

        try:
            return self._adapter.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise Unfit(first["msg"][:1].lower() + first["msg"][1:], path=tuple(first["loc"])) from None


def _pydantic(name: str, annotation: Any) -> tuple[Converter, dict[str, Any]]:
    from pydantic import TypeAdapter  # most handlers need no pydantic types

    try:
        adapter = TypeAdapter(annotation)
        schema = adapter.json_schema()
    except Exception as error:  # noqa: BLE001 - pydantic calls the annotation's own code
        raise BadSignature(
            f"annotates {name!r} with {annotation!r}, which JSON arguments cannot be: {str(error).splitlines()[0]}"
        ) from None
    return _Adapter(adapter), schema
