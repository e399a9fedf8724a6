"""Follows the path of a pydantic error through a model's annotations.

Tells which parts of the path are keys of the data and which only name a branch of a union, and what is valid there.
Knows no document and no wording.
"""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

UNKNOWN: Any = object()
"""The annotation of something that these rules cannot follow."""

Loc = tuple[str | int, ...]


class Branch(NamedTuple):
    """The union at `depth` keys into the data was tried with the branch that pydantic calls `label`."""

    depth: int
    label: str


class Route(NamedTuple):
    """An error's path, taken apart: `loc` in the data, the branches taken, and the annotation at its end."""

    loc: Loc
    branches: tuple[Branch, ...]
    annotation: Any
    owner: Any
    on_key: bool = False


def route(model: type[BaseModel], error_loc: Loc, data: Any) -> Route:
    """Take the path of an error in `data` apart, as `model` explains it."""
    loc: list[str | int] = []
    branches: list[Branch] = []
    here: Any = model
    owner: Any = model
    value = data
    for number, part in enumerate(error_loc):
        here = bare(here)
        options = _options(here)
        if part == "[key]":
            return Route(tuple(loc), tuple(branches), here, owner, on_key=True)
        if len(options) > 1 or (here is UNKNOWN and not _holds(value, part) and number < len(error_loc) - 1):
            branches.append(Branch(len(loc), str(part)))
            here = _chosen(options, part)
            continue
        if options:
            here = bare(options[0])
        owner = here
        here = _step(here, part)
        loc.append(part)
        value = value[part] if _holds(value, part) else UNKNOWN
    return Route(tuple(loc), tuple(branches), bare(here), owner)


def _holds(value: Any, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value)


def bare(annotation: Any) -> Any:
    """The annotation without `Annotated`, without a `type` alias, and without a root model around it."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        elif is_model(annotation) and "root" in annotation.model_fields and len(annotation.model_fields) == 1:
            annotation = _annotation(annotation.model_fields["root"])
        else:
            return annotation


def is_model(annotation: Any) -> bool:
    """Whether this is a pydantic model class."""
    return isinstance(annotation, type) and hasattr(annotation, "model_fields")


def names_in(model: Any) -> list[str]:
    """The keys that a model accepts, as they are written in a file, in the order of its fields."""
    if not is_model(model):
        return []
    return [spelled for name, field in model.model_fields.items() for spelled in _spellings(model, name, field)]


def literals_in(annotation: Any) -> list[Any]:
    """The values that a `Literal` or an enum (or a union of them) accepts."""
    annotation = bare(annotation)
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return [member.value for member in annotation]
    return [value for option in _options(annotation) for value in literals_in(option)]


def tags_in(annotation: Any, discriminator: str) -> list[str]:
    """The values of the field `discriminator` that tell the branches of a union apart."""
    found: list[str] = []
    for option in _options(bare(annotation)):
        option = bare(option)
        field = _field(option, discriminator)
        found += map(str, literals_in(_annotation(field))) if field else tags_in(option, discriminator)
    return found


def _options(annotation: Any) -> tuple[Any, ...]:
    """The branches of a union that pydantic names in its paths; `None` is none of them."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return ()
    return tuple(option for option in get_args(annotation) if option is not types.NoneType)


def _chosen(options: tuple[Any, ...], label: str | int) -> Any:
    """The branch that pydantic calls `label`: by its tag, by its exact name, or by its name inside a longer label."""
    tests: tuple[Callable[[Any], bool], ...] = (
        lambda option: str(label) in _tags(option),
        lambda option: _branch_name(option) == str(label).lower(),
        lambda option: _branch_name(option) in str(label).lower(),
    )
    return next((option for test in tests for option in options if test(option)), UNKNOWN)


def _branch_name(option: Any) -> str:
    kind = bare(option)
    kind = get_origin(kind) or kind
    return str(getattr(kind, "__name__", None) or getattr(kind, "_name", None) or kind).lower()


def _tags(option: Any) -> list[str]:
    """What a discriminator could call this branch: a `Tag`, or a value of a field that is a `Literal`."""
    tags = [item.tag for item in getattr(option, "__metadata__", ()) if hasattr(item, "tag")]
    model = bare(option)
    if is_model(model):
        tags += [value for field in model.model_fields.values() for value in literals_in(_annotation(field))]
    return [str(tag) for tag in tags]


def _step(annotation: Any, part: str | int) -> Any:
    if is_model(annotation):
        field = _field(annotation, part)
        if field is not None:
            return _annotation(field)
        return UNKNOWN
    origin, args = get_origin(annotation), get_args(annotation)
    if not isinstance(origin, type) or not args:
        return UNKNOWN
    if issubclass(origin, Mapping):
        return args[-1]
    if issubclass(origin, tuple) and args[-1] is not Ellipsis:
        return args[part] if isinstance(part, int) and part < len(args) else UNKNOWN
    return args[0] if isinstance(part, int) else UNKNOWN


def _annotation(field: FieldInfo) -> Any:
    annotation: Any = field.annotation
    return annotation


def _field(model: Any, name: str | int) -> FieldInfo | None:
    if not is_model(model):
        return None
    for own, field in model.model_fields.items():
        if name == own or name in _spellings(model, own, field):
            found: FieldInfo = field
            return found
    return None


def _spellings(model: Any, name: str, field: FieldInfo) -> list[str]:
    alias = field.validation_alias or field.alias
    choices = getattr(alias, "choices", None) or ([alias] if alias else [])
    spelled = [choice for choice in choices if isinstance(choice, str)]
    config: Mapping[str, Any] = typing.cast("Mapping[str, Any]", model.model_config)
    if not spelled or config.get("populate_by_name") or config.get("validate_by_name"):
        spelled.append(name)
    return spelled
