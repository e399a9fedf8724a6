"""What may be asked of a request before an answer is given: one set of words for expectations and for rules.

    user          text in the last message of the user          user_lacks    text that is not in it
    says          text anywhere in the messages                 lacks         text that is in none of them
    system        text in the system prompt                     model         the model's name
    offers        the name of a tool that is offered            headers       text in headers, by their names
    tool          the tool of a result that has come back       result_has    text in it
    result_lacks  text that is not in it                        result_json   that it is JSON
    results_ok    that each call was answered, none by an error (see `results.failed`); False: that it was not so
    turn          which turn of the assistant is to come, from 1
 All that are given have to hold. Text stands anywhere, whatever its case; `re.compile(…)` is searched for as it is;
of a list each has to hold. A model's name is meant whole, and with its case. Results are those since the assistant's
last turn: of `tool` if that is given, of any tool if not. Anywhere includes the arguments of calls. Headers that may
hold a secret cannot be asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict, Unpack

import msgspec

from squall.call import holds_secret
from squall.errors import Problem, UsageError, nearest, shown, suggestion
from squall.models.results import Result, failed, json_of
from squall.models.seen import Seen, place, written
from squall.models.words import Hay, Needle, Text, Texts, needle, needles

Check = tuple[bool, Callable[[], str]]
"""Whether a condition holds, and how it is said that it does not."""


class Wanted(TypedDict, total=False):
    """The words, as `expect` and `rule` take them."""

    user: Texts
    user_lacks: Texts
    says: Texts
    lacks: Texts
    system: Texts
    model: Text
    offers: str | Sequence[str]
    headers: Mapping[str, Text]
    tool: str
    result_has: Texts
    result_lacks: Texts
    result_json: bool
    results_ok: bool
    turn: int


class Conditions(msgspec.Struct, frozen=True):
    """Conditions on a request; `expect(…)` makes them. Fields are as in `Wanted`."""

    user: tuple[Needle, ...] = ()
    user_lacks: tuple[Needle, ...] = ()
    says: tuple[Needle, ...] = ()
    lacks: tuple[Needle, ...] = ()
    system: tuple[Needle, ...] = ()
    model: Needle | None = None
    offers: tuple[str, ...] = ()
    headers: tuple[tuple[str, Needle], ...] = ()
    tool: str | None = None
    result_has: tuple[Needle, ...] = ()
    result_lacks: tuple[Needle, ...] = ()
    result_json: bool | None = None
    results_ok: bool | None = None
    turn: int | None = None

    def met(self, seen: Seen) -> bool:
        """Whether all of them hold."""
        return all(holds for holds, _ in self.checks(seen))

    def failures(self, seen: Seen) -> list[str]:
        """What does not hold, each with what came instead."""
        return [why() for holds, why in self.checks(seen) if not holds]

    def checks(self, seen: Seen) -> Iterator[Check]:
        """Each condition's check, in the order of the fields."""
        request = seen.request
        if self.user or self.user_lacks:
            yield from _has(self.user, "the last user message", seen.user)
            yield from _has_not(self.user_lacks, "the last user message", seen.user)
        for each in self.says:
            yield each.within(seen.everything), partial("no message has {}".format, each)
        for each in self.lacks:
            yield not each.within(seen.everything), partial(_where, each, seen)
        if self.system:
            yield from _has(self.system, "the system prompt", seen.system)
        if self.model:
            yield self.model.names(request.model), partial(_model, self.model, request.model)
        for name in self.offers:
            yield any(offer.name == name for offer in request.tools), partial(_offers, name, seen)
        for header, each in self.headers:
            value = request.headers.get(header)
            yield value is not None and each.within(Hay(value)), partial(_header, header, each, value)
        yield from self._of_results(seen)
        if self.turn is not None:
            why = "this is turn {} of the assistant, not {}".format
            yield seen.turn == self.turn, partial(why, seen.turn, self.turn)

    def _of_results(self, seen: Seen) -> Iterator[Check]:
        tool = self.tool
        if tool is not None or self.result_has or self.result_lacks or self.result_json is not None:
            results = [each for each in seen.results if tool is None or each.tool == tool]
            yield bool(results), partial(_no_result, tool, seen)
            if results:
                what = f"the result of {tool}" if tool else "what the tools returned"
                hay = Hay("\n".join(each.message.text for each in results))
                yield from _has(self.result_has, what, hay)
                yield from _has_not(self.result_lacks, what, hay)
                if self.result_json is not None:
                    said = "{} is no JSON: {}" if self.result_json else "{} is JSON: {}"
                    yield all(map(_is_json, results)) == self.result_json, partial(said.format, what, hay)
        if self.results_ok is not None:
            wrong = _unanswered(seen)
            yield (wrong is None) == self.results_ok, partial(str, wrong or "each call was answered, none by an error")

    def __str__(self) -> str:
        return ", ".join(f"{name} {_spelled(value)}" for name, value in self._given()) or "anything"

    def _given(self) -> Iterator[tuple[str, Any]]:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and value != ():
                yield name, value


ANY = Conditions()


def expect(**wanted: Unpack[Wanted]) -> Conditions:
    """What a request has to be before the next turn of a script is given: `expect(tool="pay", result_has="paid")`."""
    return conditions(wanted, "expect")


def conditions(wanted: Mapping[str, Any], word: str) -> Conditions:
    """The conditions in keywords; `word` is the function that they were given to. Raises UsageError."""
    known = Conditions.__struct_fields__
    given: dict[str, Any] = {}
    for name, value in wanted.items():
        if name not in known:
            hint = f"Conditions: {', '.join(known)}."
            raise UsageError(Problem(f"{word}() knows no condition {name!r}", None, nearest(name, known), hint))
        given[name] = _READERS.get(name, needles)(value, f"{word}({name}=…)")
    if not given and word == "expect":
        raise UsageError(Problem("expect() expects nothing", hint="Write expect(user='text'), for example."))
    return Conditions(**given)


def _name(value: object, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise UsageError(Problem(f"{where} cannot be {shown(value)}", hint="Write a tool's name."))
    return value


def _names(value: object, where: str) -> tuple[str, ...]:
    if not value:
        raise UsageError(Problem(f"{where} is empty", hint="Write the name of a tool, or several."))
    return tuple(_name(each, where) for each in (value if isinstance(value, list | tuple) else (value,)))


def _headers(value: object, where: str) -> tuple[tuple[str, Needle], ...]:
    if not isinstance(value, Mapping) or not value:
        raise UsageError(Problem(f"{where} cannot be {shown(value)}", hint="Write {'x-name': 'text'}."))
    for name in filter(holds_secret, (str(name).lower() for name in value)):
        hint = "Ask for another one: a client may be told to send 'x-tenant', for example."
        raise UsageError(Problem(f"{where} {name}: headers that may hold a secret are kept from brains", hint=hint))
    return tuple((str(name).lower(), needle(text, f"{where} {name}")) for name, text in value.items())


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(Problem(f"{where} cannot be {shown(value)}", hint="Write True or False."))
    return value


def _number(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UsageError(
            Problem(f"{where} cannot be {shown(value)}", hint="Write a whole number; the first turn is 1.")
        )
    return value


_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    "model": needle,
    "offers": _names,
    "headers": _headers,
    "tool": _name,
    "result_json": _flag,
    "results_ok": _flag,
    "turn": _number,
}


def _has(wanted: tuple[Needle, ...], what: str, hay: Hay) -> Iterator[Check]:
    for each in wanted:
        yield each.within(hay), partial("{} lacks {}: {}".format, what, each, hay)


def _has_not(unwanted: tuple[Needle, ...], what: str, hay: Hay) -> Iterator[Check]:
    for each in unwanted:
        yield not each.within(hay), partial("{} has {}: {}".format, what, each, hay)


def _where(unwanted: Needle, seen: Seen) -> str:
    for number, message in enumerate(seen.request.messages):
        hay = Hay(written(message))
        if unwanted.within(hay):
            return f"{place(seen.request, number)} has {unwanted}: {hay}"
    return f"the messages together have {unwanted}"


def _model(wanted: Needle, name: str) -> str:
    return f"the model is {shown(name)}, not {wanted}"


def _offers(name: str, seen: Seen) -> str:
    offered = [offer.name for offer in seen.request.tools]
    if not offered:
        return f"the tool {name} is not offered: none is"
    near = suggestion(name, offered)
    return f"the tool {name} is not offered, but {', '.join(offered)}" + (f"; {near}" if near else "")


def _header(name: str, wanted: Needle, value: str | None) -> str:
    return f"there is no header {name}" if value is None else f"the header {name} lacks {wanted}: {shown(value)}"


def _no_result(tool: str | None, seen: Seen) -> str:
    came = ", ".join(dict.fromkeys(each.tool or "a call that nobody made" for each in seen.results))
    if tool is None:
        return "no tool's result has come back"
    return f"no result of {tool} has come back" + (f", but of {came}" if came else "")


def _is_json(result: Result) -> bool:
    try:
        json_of(result.message.text)
    except ValueError:
        return False
    return True


def _unanswered(seen: Seen) -> str | None:
    """What is wrong with the answers to the last turn's calls."""
    if not seen.calls:
        return "the turn before called no tool"
    answers = {each.message.answers: each.message for each in seen.results}
    for use in seen.calls:
        answer = answers.get(use.id)
        if answer is None:
            return f"the call of {use.name} was not answered"
        if failed(answer):
            return f"the call of {use.name} was answered by an error: {shown(answer.text)}"
    return None


def _spelled(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return " and ".join(f"{each[0]} {each[1]}" if isinstance(each, tuple) else str(each) for each in value)
