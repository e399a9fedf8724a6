"""A plan while it is read: the source, the targets that there are, and everything found wrong so far.

Knows places and patterns; neither what a rule may say nor which kinds there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from squall.call import MODEL_TARGETS, Target
from squall.documents import validate
from squall.errors import Position, Problem, UsageError, nearest
from squall.faults.inline import Source
from squall.faults.model_names import ALL_MODELS, may_be_model, may_be_operation, near_model_target

Loc = tuple[str | int, ...]
Model = TypeVar("Model", bound=BaseModel)
EVERYTHING = "default"
ELSEWHERE = ("*", "*.*", "all", "any")  # how others say it
LONG_HINT = 80  # characters; a longer one is told once in a report
WIDE, SERVICE, EXACT, NAMED = range(4)


class Pattern(NamedTuple):
    """What a rule says it is for, and where it says so; `is_key` for a key of the short form."""

    text: str
    loc: Loc
    is_key: bool


class Reach(NamedTuple):
    """The targets that patterns mean. `rank` grows with how narrowly they do: all, a service, operations by name.

    `named` are those patterns that are names of models: then the targets are meant for these models alone. `written`
    are the texts of all patterns.
    """

    names: tuple[str, ...]
    rank: int
    written: tuple[str, ...]
    named: tuple[Pattern, ...] = ()


class Reading:
    """Reads parts of a source and collects problems, so that all of them can be told at once.

    `targets` are those of a world; those of models are the same everywhere. Without any of a world's, `trusted`
    collects what may be one. `models` are names that are certain to be models'; others may be all the same.
    """

    def __init__(self, source: Source, targets: Iterable[Target], models: Collection[str] = ()) -> None:
        self.source, self.models = source, models
        self.targets: dict[str, Target] = {target.name: target for target in MODEL_TARGETS.values()}
        own = {target.name: target for target in targets}
        self.targets |= own
        self.trusts = not own
        self.trusted: dict[str, None] = {}
        self.problems: list[Problem] = []

    def say(
        self, message: str, loc: Loc, *, key: bool = False, nearest: str | None = None, hint: str | None = None
    ) -> None:
        """Take note of something wrong at `loc`."""
        self.problems.append(Problem(message, self.source.at(loc, key=key), nearest, hint))

    def part(self, loc: Loc) -> Any:
        """The data at `loc`. Raises KeyError or IndexError where there is none."""
        value = self.source.data
        for place in loc:
            value = value[place]
        return value

    def valid(self, model: type[Model], loc: Loc) -> Model | None:
        """What stands at `loc` as a `model`; None, and problems, where it is not one."""
        return self._validated(model, self.source, loc)

    def given(self, model: type[Model], data: Mapping[str, Any], loc: Loc) -> Model | None:
        """`data`, a part of the mapping at `loc`, as a `model`; None, and problems, where it is not one."""
        return self._validated(model, _Given(data, loc, self.source), ())

    def remains(self, model: type[Model], loc: Loc, keep: Mapping[str, Any]) -> Model | None:
        """What can still be checked of something wrong at `loc`: keys that `model` leaves open, and `keep`."""
        data = self.part(loc)
        if not isinstance(data, Mapping):
            return None
        kept = {key: value for key, value in data.items() if key not in model.model_fields}
        try:
            return model.model_validate({**kept, **keep})
        except ValidationError:
            return None

    def reach(self, patterns: Iterable[Pattern]) -> Reach:
        """The targets that `patterns` mean; one that means none is a problem, unless it has to be taken on trust."""
        names: dict[str, None] = {}
        named: list[Pattern] = []
        written: list[str] = []
        rank = EXACT
        for pattern in patterns:
            written.append(pattern.text)
            if pattern.text == EVERYTHING:
                found, rank = list(self._operations()), WIDE
            elif pattern.text.endswith(".*"):
                found, rank = list(self._of_service(pattern.text[:-1])), min(rank, SERVICE)
            else:
                found = [pattern.text] if pattern.text in self.targets else []
            if not found:
                named += [pattern] if self._is_model(pattern) else []
            names.update(dict.fromkeys(found))
        if named and names:
            self._mixed(named, names)
        elif named:
            models = (name for name, target in self.targets.items() if target.wire == "model")
            return Reach(tuple(models), NAMED, tuple(written), tuple(named))
        return Reach(tuple(names), rank, tuple(written))

    def _mixed(self, named: Iterable[Pattern], names: Iterable[str]) -> None:
        """Beside targets of models a model's name is a condition that the others would not have; beside tools, none."""
        beside = [name for name in names if self.targets[name].wire == "model"]
        for pattern in named:
            if beside:
                message = f"{pattern.text!r} is taken for a model's name, and {beside[0]} is none"
                self.say(message, pattern.loc, hint="Write a rule for each.")
            else:
                self.unknown_target(pattern)

    def _is_model(self, pattern: Pattern) -> bool:
        """Whether a pattern that means no target is a model's name. If not it is a problem, or to be taken on trust."""
        if pattern.text in self.models:
            return True
        near = self._near(pattern.text)
        if (
            self.trusts
            and not pattern.text.startswith("model.")
            and (pattern.text == EVERYTHING or may_be_operation(pattern.text))
        ):
            self.trusted[pattern.text] = None
            return False
        if near is None and may_be_model(pattern.text):
            return True
        self.unknown_target(pattern)
        return False

    def _operations(self) -> Iterator[str]:
        """What `default` means: all tools that can be called. What else there is, is named by who means it."""
        return (name for name, target in self.targets.items() if target.wire == "tool")

    def _of_service(self, start: str) -> Iterator[str]:
        return (name for name, target in self.targets.items() if target.wire != "event" and name.startswith(start))

    def raise_problems(self) -> None:
        """Raise UsageError with everything that was found, each once, in the order of the file."""
        if self.problems:
            raise UsageError(_told_once(sorted(dict.fromkeys(self.problems), key=_place)))

    def _validated(self, model: type[Model], source: Any, loc: Loc) -> Model | None:
        try:
            return validate(model, source, loc=loc)
        except UsageError as error:
            self.problems.extend(error.problems)
            return None

    def unknown_target(self, pattern: Pattern) -> None:
        """Say that a pattern means nothing here, and what would; nothing where it is certain to be a model's name."""
        if pattern.text in self.models:
            return
        models = [name for name, target in self.targets.items() if target.wire == "model"]
        events = ", ".join(name for name, target in self.targets.items() if target.wire == "event")
        if operations := ", ".join(self._operations()):
            hint = f"Targets here: {operations}; or service.*, or {EVERYTHING}."
            hint += f" Events: {events}." if events else ""
            hint += f" Models: {ALL_MODELS}."
        else:
            hint = f"Without a world there are {', '.join(models)}, {ALL_MODELS}, and models by their names."
        near = self._near(pattern.text)
        self.say(f"unknown target {pattern.text!r}", pattern.loc, key=pattern.is_key, nearest=near, hint=hint)

    def _near(self, text: str) -> str | None:
        """The target that a word was probably meant to be."""
        everything = EVERYTHING if any(self._operations()) else ALL_MODELS
        if text in ELSEWHERE or text == EVERYTHING:
            return everything
        others = {name: target for name, target in self.targets.items() if target.wire != "model"}
        tools = {target.tool: name for name, target in others.items() if target.tool}
        services = {f"{name.partition('.')[0]}.*": None for name in others}
        close = tools.get(text) or nearest(text, [*others, *services, EVERYTHING])
        close = close or tools.get(nearest(text.rpartition(".")[2], tools) or "")
        if close == EVERYTHING:
            return everything
        return close or near_model_target(text, self.targets.keys() - others.keys())


class _Given:
    """Some keys of a mapping, standing where the mapping stands."""

    def __init__(self, data: Mapping[str, Any], loc: Loc, source: Source) -> None:
        self.data, self._loc, self._source = data, loc, source

    def at(self, loc: Loc, *, key: bool = False) -> Position:
        """Where a key or its value stands in the file."""
        return self._source.at((*self._loc, *loc), key=key)


def _told_once(problems: Iterable[Problem]) -> Iterator[Problem]:
    """The problems, where a long list of what is valid follows only the first that it is for."""
    told: set[str] = set()
    for problem in problems:
        hint = problem.hint or ""
        yield problem._replace(hint=None) if hint in told else problem
        if len(hint) > LONG_HINT:
            told.add(hint)


def _place(problem: Problem) -> tuple[int, int]:
    at = problem.at
    return (at.line or 0, at.column or 0) if at else (0, 0)
