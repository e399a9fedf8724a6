"""Checks a document against a pydantic model and words what is wrong: where, the value, the nearest valid name.

Knows no particular model. pydantic is not imported here: whoever brings a model has it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from squall.documents import routes
from squall.documents.advice import WORDS, advice, example
from squall.errors import Position, Problem, UsageError, is_weather, nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from squall.documents.routes import Loc, Route

    Model = TypeVar("Model", bound=BaseModel)

__tracebackhide__ = is_weather

_ALTERNATIVES = frozenset((*WORDS, "literal_error", "enum"))
_PREFIX = "Input should "


class Placed(Protocol):
    """Data that knows where its parts stand: a Document, or a part of one under a view of its own."""

    @property
    def data(self) -> Any:
        """Plain data."""

    def at(self, loc: Loc, *, key: bool = False) -> Position | None:
        """Where the value at `loc` stands, or its key."""


class Invalid(ValueError):
    """Raised in a model's validator to say more than a text: where below the value, the nearest name, what to do.

    `loc` is relative to the value that is validated; with `key` the position is that of the key there.
    """

    def __init__(
        self,
        message: str,
        *,
        loc: Loc = (),
        key: bool = False,
        nearest: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.loc = loc
        self.key = key
        self.nearest = nearest
        self.hint = hint


class _Found(NamedTuple):
    """One of pydantic's errors with its path taken apart."""

    error: ErrorDetails
    route: Route


def validate(model: type[Model], document: Placed, *, loc: Loc = ()) -> Model:
    """The part of `document` at `loc` as a `model`. Raises UsageError that lists everything wrong, in file order."""
    # Here and not above, so that importing the documents costs no pydantic.
    from pydantic import ValidationError

    try:
        return model.model_validate(_part(document, loc))
    except ValidationError as error:
        raise UsageError(problems_of(error, model, document, loc)) from None


def problems_of(error: ValidationError, model: type[BaseModel], document: Placed, loc: Loc = ()) -> list[Problem]:
    """What pydantic found wrong with the part of `document` at `loc`, each thing once, in file order."""
    data = _part(document, loc)
    found = [_Found(e, routes.route(model, e["loc"], data)) for e in error.errors(include_url=False)]
    wording = _Wording(document, loc)
    problems = dict.fromkeys(wording.problems(_without_other_branches(found, 0)))
    return sorted(problems, key=lambda p: (p.at.line or 0, p.at.column or 0) if p.at else (0, 0))


def _part(document: Placed, loc: Loc) -> Any:
    value = document.data
    for part in loc:
        value = value[part]
    return value


def _without_other_branches(found: list[_Found], level: int) -> list[_Found]:
    """Of each union keep the errors of the one branch that the value was probably meant for."""
    kept: list[_Found] = []
    unions: dict[Loc, dict[str, list[_Found]]] = defaultdict(lambda: defaultdict(list))
    for one in found:
        if len(one.route.branches) <= level:
            kept.append(one)
        else:
            branch = one.route.branches[level]
            unions[one.route.loc[: branch.depth]][branch.label].append(one)
    for loc, branches in unions.items():
        entered = [errors for errors in branches.values() if not _is_of_another_kind(errors, loc)]
        if entered:
            kept += _without_other_branches(min(entered, key=len), level + 1)
        else:
            kept += [one for errors in branches.values() for one in errors]
    return kept


def _is_of_another_kind(errors: list[_Found], loc: Loc) -> bool:
    """Whether a branch was refused at once: the value is not even of its type, or none of its values."""
    return all(one.route.loc == loc and one.error["type"] in _ALTERNATIVES for one in errors)


class _Wording:
    def __init__(self, document: Placed, base: Loc) -> None:
        self._document = document
        self._base = base

    def problems(self, found: list[_Found]) -> Iterator[Problem]:
        """One problem for each error; alternatives that were all refused at one place become one."""
        unknown = {one.route.loc for one in found if one.error["type"] == "extra_forbidden"}
        alternatives: dict[Loc, list[_Found]] = defaultdict(list)
        for one in found:
            if one.route.branches and one.error["type"] in _ALTERNATIVES:
                alternatives[one.route.loc].append(one)
            elif one.error["type"] != "missing" or not self._is_misspelled(one.route, unknown):
                yield self._problem(one)
        for errors in alternatives.values():
            yield self._problem(errors[0]) if len(errors) == 1 else self._none_of(errors)

    def _is_misspelled(self, route: Route, unknown: set[Loc]) -> bool:
        """Whether a missing key is there under a name that is reported as unknown and near to it."""
        *above, name = route.loc
        words = routes.names_in(route.owner)
        return any(list(loc[:-1]) == above and nearest(loc[-1], words) == name for loc in unknown)

    def _problem(self, one: _Found) -> Problem:
        match one.error["type"]:
            case "extra_forbidden":
                return self._unknown_key(one)
            case "missing":
                return self._missing_key(one)
            case "literal_error" | "enum":
                return self._not_one_of(one)
            case "union_tag_invalid":
                return self._wrong_tag(one)
            case "union_tag_not_found":
                return self._missing_tag(one)
            case "value_error" | "assertion_error":
                return self._raised(one)
            case _:
                return self._other(one)

    def _unknown_key(self, one: _Found) -> Problem:
        name = one.route.loc[-1]
        valid = routes.names_in(one.route.owner)
        hint = f"Valid keys here: {', '.join(valid)}." if valid else "No keys are valid here."
        at = self._at(one.route.loc, key=True)
        return Problem(f"unknown key {shown(name)}", at, nearest(name, valid), hint)

    def _missing_key(self, one: _Found) -> Problem:
        *above, name = one.route.loc
        inside = f" in {self._called(tuple(above))}" if above else ""
        return Problem(f"missing key {shown(name)}{inside}", self._at(tuple(above), key=True), hint="Add it.")

    def _not_one_of(self, one: _Found) -> Problem:
        value = one.error["input"]
        valid = routes.literals_in(one.route.annotation)
        return self._choice(one.route.loc, value, valid, str((one.error.get("ctx") or {}).get("expected", "")))

    def _choice(self, loc: Loc, value: Any, valid: list[Any], otherwise: str = "") -> Problem:
        listed = ", ".join(map(str, valid)) or otherwise
        message = f"{self._called(loc)} cannot be {shown(value)}"
        return Problem(message, self._at(loc), nearest(value, valid), f"Valid values: {listed}.")

    def _wrong_tag(self, one: _Found) -> Problem:
        name, value = _discriminator(one), one.error["ctx"]["tag"]
        valid = routes.tags_in(one.route.annotation, name)
        loc = (*one.route.loc, name)
        return self._choice(loc, value, valid, str(one.error["ctx"].get("expected_tags", "")))

    def _missing_tag(self, one: _Found) -> Problem:
        name = _discriminator(one)
        valid = ", ".join(routes.tags_in(one.route.annotation, name))
        inside = f" in {self._called(one.route.loc)}" if one.route.loc else ""
        at = self._at(one.route.loc, key=True)
        return Problem(f"missing key {shown(name)}{inside}", at, hint=f"Valid values: {valid}." if valid else "Add it.")

    def _raised(self, one: _Found) -> Problem:
        """A validator's own words."""
        error = (one.error.get("ctx") or {}).get("error")
        if isinstance(error, Invalid):
            at = self._at((*one.route.loc, *error.loc), key=error.key)
            return Problem(str(error), at, error.nearest, error.hint)
        text = str(error) if isinstance(error, Exception) and str(error) else one.error["msg"].partition(", ")[2]
        return Problem(text, self._at(one.route.loc, key=one.route.on_key))

    def _other(self, one: _Found) -> Problem:
        kind, message, value = one.error["type"], one.error["msg"], one.error["input"]
        name = self._called(one.route.loc)
        at = self._at(one.route.loc, key=one.route.on_key)
        said = message[:1].lower() + message[1:]
        hint = advice(kind, value, one.error.get("ctx"))
        if one.route.on_key:
            return Problem(f"the key {name} is not valid: {said}", at, hint=hint)
        if kind in WORDS:
            return Problem(f"{name} must be {WORDS[kind]}, not {shown(value)}", at, hint=hint)
        if message.startswith(_PREFIX):
            return Problem(f"{name} must {message.removeprefix(_PREFIX)}, not {shown(value)}", at, hint=hint)
        return Problem(f"{name} cannot be {shown(value)}: {said}", at, hint=hint)

    def _none_of(self, errors: list[_Found]) -> Problem:
        """One problem for a value that fits none of several types."""
        first = errors[0]
        value, loc = first.error["input"], first.route.loc
        valid = [v for one in errors for v in routes.literals_in(one.route.annotation)]
        words = dict.fromkeys(WORDS[one.error["type"]] for one in errors if one.error["type"] in WORDS)
        hint = f"Valid values: {', '.join(map(str, valid))}." if valid else example(*words)
        words |= dict.fromkeys(f"one of {', '.join(map(str, valid))}" for _ in valid[:1])
        message = f"{self._called(loc)} must be {' or '.join(words)}, not {shown(value)}"
        return Problem(message, self._at(loc), nearest(value, valid) if valid else None, hint)

    def _at(self, loc: Loc, *, key: bool = False) -> Position | None:
        return self._document.at((*self._base, *loc), key=key)

    def _called(self, loc: Loc) -> str:
        """What to call the value at `loc`: by its key, or by its place in the list."""
        return _named((*self._base, *loc))


def _discriminator(one: _Found) -> str:
    return str(one.error["ctx"]["discriminator"]).strip("'")


def _named(loc: Loc) -> str:
    if not loc:
        return "the document"
    *above, last = loc
    return repr(last) if isinstance(last, str) else f"item {last + 1} of {_named(tuple(above))}"
