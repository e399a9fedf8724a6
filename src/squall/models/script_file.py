"""Loads a script file: TOML (YAML and JSON too), as `script_spec` says. Raises UsageError with every problem's place.

Loading a file that names a handler runs the code of its module.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from squall.call import ModelRequest, Reply
from squall.documents import Document, load, load_handler, validate
from squall.errors import Position, Problem, UsageError, is_weather
from squall.models import turns
from squall.models.brain import Brain
from squall.models.conditions import Conditions, conditions
from squall.models.python import PythonBrain
from squall.models.rules import Rule, Rules, unreachable
from squall.models.script import Script
from squall.models.turns import Turn

if TYPE_CHECKING:
    from squall.models.script_spec import ConditionsSpec, ReplySpec, RuleSpec, ScriptSpec, TurnSpec

__tracebackhide__ = is_weather

Loc = tuple[str | int, ...]
Made = TypeVar("Made")


class ScriptFile:
    """The brain in a file, and what else the file says of the provider.

    `strict_history`: whether histories are refused that a provider refuses; `models`: the names that it lists.
    """

    def __init__(self, brain: Brain, document: Document, *, strict_history: bool, models: tuple[str, ...]) -> None:
        self.brain = brain
        self.document = document
        self.strict_history = strict_history
        self.models = models

    def answer(self, request: ModelRequest) -> Reply | Awaitable[Reply]:
        """What its brain answers."""
        return self.brain.answer(request)

    def unused(self) -> list[str]:
        """What its brain says."""
        return self.brain.unused()


def load_brain(path: str | Path, *, handlers: bool = True, name: str | None = None) -> ScriptFile:
    """The brain in the file at `path`. Without `handlers` a file that names one is refused.

    `name` is what it is called in messages, those to the agent included; the path, unless it is given.
    """
    from squall.models.script_spec import ScriptSpec  # pydantic takes 40 ms, and scripts in Python need none

    document = load(path, name=name)
    spec = validate(ScriptSpec, document)
    brain = _brain(spec, document, handlers=handlers)
    return ScriptFile(brain, document, strict_history=spec.strict_history, models=tuple(spec.models))


def _brain(spec: ScriptSpec, document: Document, *, handlers: bool) -> Brain:
    if spec.handler is not None:
        return _python(spec, spec.handler, document, handlers=handlers)
    building = _Building(document)
    if spec.rule is not None:
        return Rules(*building.rules(spec.rule), sentinels=spec.sentinels)
    return Script(*building.turns(spec.turn or []), sentinels=spec.sentinels)


def _python(spec: ScriptSpec, handler: str, document: Document, *, handlers: bool) -> Brain:
    at = document.at(("handler",))
    if not handlers:
        hint = "Load it with handlers=True (without --no-handlers) if you trust the code, or write turns or rules."
        raise UsageError(Problem(f"handler {handler!r} is Python code, and no handlers may run here", at, hint=hint))
    function = load_handler(handler, document.path or Path(document.name), at=at)
    return _placed(partial(PythonBrain, function, sentinels=spec.sentinels), at)


class _Building:
    """Makes what is written into turns and rules; what is wrong is collected, each with its place."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._problems: list[Problem] = []

    def turns(self, specs: list[TurnSpec]) -> list[Turn]:
        """The turns of a script."""
        return self._all(self._turn(spec, ("turn", number)) for number, spec in enumerate(specs))

    def rules(self, specs: list[RuleSpec]) -> list[Rule]:
        """The rules, each of which can match."""
        found = self._all(self._rule(spec, ("rule", number)) for number, spec in enumerate(specs))
        for problem, number in unreachable(found):
            self._problems.append(problem._replace(at=self._document.at(("rule", number))))
        self._finish()
        return found

    def _all(self, made: Iterable[Made | None]) -> list[Made]:
        found = [each for each in made if each is not None]
        self._finish()
        return found

    def _finish(self) -> None:
        if self._problems:
            raise UsageError(self._problems)

    def _turn(self, spec: TurnSpec, loc: Loc) -> Turn | None:
        expects = None if spec.expect is None else self._conditions(spec.expect, "expect", (*loc, "expect"))
        turn = self._reply(spec, loc)
        return turn and msgspec.structs.replace(turn, expects=(expects,) if expects else (), at=self._place(loc))

    def _rule(self, spec: RuleSpec, loc: Loc) -> Rule | None:
        when = self._conditions(spec.when, "when", (*loc, "when"))
        then = self._reply(spec.then, (*loc, "then"))
        return Rule(when, then, self._place(loc)) if when is not None and then is not None else None

    def _place(self, loc: Loc) -> str:
        return str(self._document.at(loc))

    def _conditions(self, spec: ConditionsSpec, word: str, loc: Loc) -> Conditions | None:
        given = {name: _texts(getattr(spec, name)) for name in type(spec).model_fields}
        wanted = {name: value for name, value in given.items() if value is not None}
        found = [self._made(partial(conditions, {name: wanted[name]}, word), (*loc, name)) for name in wanted]
        return self._made(partial(conditions, wanted, word), loc) if all(found) else None

    def _reply(self, spec: ReplySpec, loc: Loc) -> Turn | None:
        whole: Any = {
            "usage": spec.usage and spec.usage.model_dump(),
            "finish_reason": spec.finish_reason,
            "reasoning": spec.reasoning,
        }
        if spec.refuse is not None:
            return turns.refuse(spec.refuse, **whole)
        uses = self._uses(spec, loc)
        if uses is None:
            return None
        return turns.calls(*uses, **whole) if spec.say is None else turns.say(spec.say, *uses, **whole)

    def _uses(self, spec: ReplySpec, loc: Loc) -> list[Turn] | None:
        if spec.call is not None:
            made = [self._use(spec.call, spec.arguments, spec.call_id, loc)]
        else:
            several = enumerate(spec.calls or ())
            made = [self._use(each.call, each.arguments, each.call_id, (*loc, "calls", n)) for n, each in several]
        found = [each for each in made if each is not None]
        return found if len(found) == len(made) else None

    def _use(self, tool: str, arguments: Mapping[str, Any] | str | None, call_id: str | None, loc: Loc) -> Turn | None:
        return self._made(partial(turns.call, tool, arguments, call_id=call_id), (*loc, "arguments"))

    def _made(self, make: Callable[[], Made], loc: Loc) -> Made | None:
        try:
            return _placed(make, self._document.at(loc))
        except UsageError as error:
            self._problems += error.problems
            return None


def _placed(make: Callable[[], Made], at: Position) -> Made:
    try:
        return make()
    except UsageError as error:
        raise UsageError(problem if problem.at else problem._replace(at=at) for problem in error.problems) from None


def _texts(value: Any) -> Any:
    """What is written in conditions, as `expect` takes it: a mapping with `matches` is a pattern."""
    if isinstance(value, list):
        return [_texts(each) for each in value]
    if isinstance(value, dict):
        return {name: _texts(each) for name, each in value.items()}
    return re.compile(value.matches) if hasattr(value, "matches") else value
