"""Which turn of a script is due, told from the conversation that a request brings along, and from nothing else.

The assistant's messages are held against the script's turns, in order. **Due is the turn after the last one that has
been said.** So a retry gets the same turn again, conversations that run side by side do not disturb each other, and
one that is taken up from an earlier point goes on from there.

1. A turn with calls is known by its calls: their tools, and their arguments as JSON values. Text around calls may be
   lost, and parallel calls may have been written down one by one. A turn without calls is known by its text, but for
   white space.
2. A turn also counts as said if what stands there is its text cut short, or a call of the same tool with other
   arguments (agents fill in defaults, and faults cut), unless these are no JSON object or the result tells of an
   error: then the call was not made, and is due again. (A call scripted with broken arguments was made in any case.)
3. Where the whole history is the script's beginning, word for word, that settles it. Else the history may have been
   trimmed, or begin elsewhere (examples, an earlier conversation, a reply that a fault put in the place of a turn):
   what is no turn of the script is passed over, and of all places in the script the one is taken up to which most
   turns in a row are found at the history's end: those that are found word for word first, then all. Of equals, the
   earliest.
4. With nothing of the script in the history the first turn is due.

Turns that are equal cannot be told apart once the history before them is cut off: give them a `call_id` of their own.
A text that the request ends with (a prefill, for the model to go on from) is a turn only if it is one word for word.

Knows no expectation and keeps no state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from squall.call import Message, Reply, ToolUse
from squall.models.results import failed, json_of

EXACT, ALTERED, ANOTHER = 2, 1, 0
Score = tuple[bool, int, int]
"""Of a place in the script: whether the whole history leads there, turns word for word, turns in a row."""


class Place(NamedTuple):
    """Which turn is due, and with which message the one before it begins, if that is the last that was said."""

    due: int
    begun: int | None = None


class _Call(msgspec.Struct, frozen=True):
    """A call, as it is recognised."""

    name: str
    arguments: Any
    id: str | None
    answer: Message | None = None


class _Said(msgspec.Struct, frozen=True):
    """One message of the assistant, or one turn of a script, as it is recognised."""

    text: str
    calls: tuple[_Call, ...] = ()
    last: bool = False
    at: int = 0


class Progress:
    """The turns of a script, made ready to be recognised."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._turns = tuple(_of_reply(reply) for reply in replies)
        self._texts = frozenset(turn.text for turn in self._turns)
        self._calls = tuple(each for turn in self._turns for each in turn.calls)

    def due(self, messages: Sequence[Message]) -> int:
        """How many turns have been said: the index of the one that is due, or the number of all."""
        return self.place(messages).due

    def place(self, messages: Sequence[Message]) -> Place:
        """The same, and where the turn before begins: parallel calls may be several messages, with results between."""
        history = _history(messages)
        said = [each for each in history if self._is_ours(each)]
        while said:
            due = self._found(said)
            if due:
                _, taken = _grade(self._turns[due - 1], said, len(said))
                return Place(due, said[-taken].at if said[-1] is history[-1] else None)
            said.pop()
        return Place(0)

    def _found(self, said: list[_Said]) -> int:
        """The turn up to which a history's end is found, counted from 1; 0 where none is its last message."""
        whole, exact, length = self._score(len(said), said)
        place = len(said)
        if whole:
            return place
        best: Score = (whole, exact, length)
        grades = [_grade(turn, said, len(said))[0] for turn in self._turns]
        for end in sorted(range(1, len(self._turns) + 1), key=lambda end: -grades[end - 1]):  # the likely ones first
            score = self._score(end, said, best[1])
            if score > best or (score == best and end < place):
                best, place = score, end
        return place if best[2] else 0

    def _is_ours(self, said: _Said) -> bool:
        if not said.calls:
            return said.text in self._texts or any(_text_grade(turn, said) for turn in self._turns)
        return all(any(_call_grade(each, use) for each in self._calls) for use in said.calls)

    def _score(self, end: int, said: list[_Said], least: int = 0) -> Score:
        """How well the history's end fits the turns before `end`, from the last one back.

        It is not looked at to its end where fewer than `least` turns can be word for word.
        """
        if end > len(self._turns):
            return False, 0, 0
        rest, exact, length = len(said), 0, 0
        for turn in reversed(self._turns[:end]):
            if not rest or (exact < length and exact + min(rest, end - length) < least):
                break
            grade, taken = _grade(turn, said, rest)
            if not grade:
                break
            rest -= taken
            exact += grade == EXACT
            length += 1
        return rest == 0 and exact == end, exact, length


def _of_reply(reply: Reply) -> _Said:
    text = reply.text if reply.refusal is None else reply.refusal
    return _Said(_plain(text or ""), tuple(map(_of_use, reply.calls)))


def _of_use(use: ToolUse, answer: Message | None = None) -> _Call:
    return _Call(use.name, _value(use.arguments), use.id, answer)


def _value(arguments: str) -> Any:
    """What arguments say; of text that is no JSON the text, in a form that no JSON has."""
    try:
        return json_of(arguments or "{}")
    except ValueError:
        return (arguments,)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _history(messages: Sequence[Message]) -> list[_Said]:
    """What the assistant said, message by message, each call with its answer: the first after it that names its id."""
    found: list[_Said] = []
    answers: dict[str | None, Message] = {}
    last = True
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if message.role == "assistant":
            calls = tuple(_of_use(use, answers.get(use.id)) for use in message.calls)
            found.append(_Said(_plain(message.text), calls, last, at))
        elif message.role == "tool":
            answers[message.answers] = message
        last = False
    return found[::-1]


def _grade(turn: _Said, said: list[_Said], end: int) -> tuple[int, int]:
    """How well the messages before `end` are `turn`, and how many of them it takes."""
    if not turn.calls:
        last = said[end - 1]
        return (ANOTHER if last.calls else _text_grade(turn, last)), 1
    uses: list[_Call] = []
    start = end
    while start and len(uses) < len(turn.calls) and said[start - 1].calls:
        start -= 1
        uses[:0] = said[start].calls
    grade = _calls_grade(turn.calls, uses)
    before = said[start - 1] if start else None
    if grade and before and turn.text == before.text and turn.text and not (before.calls or said[start].text):
        start -= 1  # its text was written down as a message of its own
    return grade, end - start


def _calls_grade(wanted: tuple[_Call, ...], uses: list[_Call]) -> int:
    """Whether these are the calls of a turn, in whatever order."""
    if len(wanted) != len(uses):
        return ANOTHER
    grade, left = EXACT, list(uses)
    for each in wanted:
        best = max(left, key=lambda use, each=each: _call_grade(each, use))  # type: ignore[misc]  # bound in its loop
        grade = min(grade, _call_grade(each, best))
        left.remove(best)
    return grade


def _call_grade(wanted: _Call, use: _Call) -> int:
    if wanted.name != use.name:
        return ANOTHER
    if wanted.arguments == use.arguments:
        return EXACT if wanted.id is None or wanted.id == use.id else ALTERED
    if isinstance(wanted.arguments, tuple):
        return ALTERED
    made = isinstance(use.arguments, dict) and not (use.answer and failed(use.answer))
    return ALTERED if made else ANOTHER


def _text_grade(turn: _Said, said: _Said) -> int:
    if turn.text == said.text:
        return EXACT
    return ALTERED if said.text and not said.last and turn.text.startswith(said.text) else ANOTHER
