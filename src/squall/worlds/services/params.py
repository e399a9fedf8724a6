"""The arguments of an operation: their names, types and defaults, and how a call's arguments are checked against them.

Whatever is wrong is said in the words of a service, since the agent reads it. Knows no table and runs no handler.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from squall.call import Refused
from squall.errors import joined, nearest, shown, suggestion
from squall.worlds.fields.types import Unfit


class Converter(Protocol):
    """What turns an argument into what the operation takes."""

    def check(self, value: Any) -> Any:
        """The value to use, or `Unfit`."""


class Param(msgspec.Struct, frozen=True):
    """One argument of an operation. `schema` is JSON Schema; `default` is for show, where `required` is false."""

    name: str
    required: bool
    schema: dict[str, Any]
    default: Any = None
    description: str | None = None


class Arguments:
    """Checks the arguments of one operation."""

    def __init__(self, params: tuple[Param, ...], converters: Mapping[str, Converter | None]) -> None:
        self._names = [param.name for param in params]
        self._required = [param.name for param in params if param.required]
        self._converters = converters

    def named(self, given: Mapping[str, Any]) -> None:
        """Raises `Refused` for arguments that are unknown or missing; looks at no value."""
        wrong = []
        for name in given:
            if name not in self._converters:
                known = f"arguments: {', '.join(self._names) or 'none'}"
                wrong.append(f"unknown argument {shown(name)}; {suggestion(name, self._names, known)}")
        meant = {nearest(name, self._names) for name in given if name not in self._converters}
        wrong += [f"missing argument {name!r}" for name in self._required if name not in given and name not in meant]
        if wrong:
            raise Refused(joined(wrong), "arguments")

    def converted(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the operation takes them. Raises `Refused` with all that is wrong."""
        self.named(given)
        values: dict[str, Any] = {}
        wrong = []
        for name, value in given.items():
            converter = self._converters[name]
            if converter is None:
                values[name] = value
                continue
            try:
                values[name] = converter.check(value)
            except Unfit as unfit:
                wrong.append(unfit.said(name))
        if wrong:
            raise Refused(joined(wrong), "arguments")
        return values


def input_schema(params: tuple[Param, ...]) -> dict[str, Any]:
    """JSON Schema of the arguments together."""
    properties: dict[str, Any] = {}
    for param in params:
        properties[param.name] = dict(param.schema)
        if param.description:
            properties[param.name]["description"] = param.description
        if not param.required and param.default is not None:
            properties[param.name]["default"] = param.default
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    required = [param.name for param in params if param.required]
    return {**schema, "required": required} if required else schema
