"""A trace made into a story. All checks of a run share one: it is kept as long as the trace does not grow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from squall.checks.story.content import as_text
from squall.checks.story.conversations import Gathering, Talk
from squall.checks.story.draft import Asked, Draft, Hooked, whole
from squall.checks.story.pairing import asked_in, join
from squall.checks.story.reading import Reading
from squall.checks.story.said import forced
from squall.checks.story.shapes import Conversation, Raised, Story, ToolStep, Turn
from squall.checks.story.steps import mutating, step_of
from squall.checks.story.tries import tries
from squall.trace import Trace

LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")

_told: WeakKeyDictionary[Trace, tuple[int, Story]] = WeakKeyDictionary()


class Place(NamedTuple):
    """One step before it has its number."""

    at: tuple[int, int, int]
    talk: int
    draft: Draft | None = None
    asked: Asked | None = None
    hooked: Hooked | None = None


def story_of(trace: Trace) -> Story:
    """The story of a run so far. Linear in the trace, and made once for each state of it."""
    known = _told.get(trace)
    if known is not None and known[0] == len(trace):
        return known[1]
    length = len(trace)
    story = _story(Reading(trace))
    _told[trace] = (length, story)
    return story


def _story(reading: Reading) -> Story:
    hooked = _without_inner(reading.hooked)
    gathering = Gathering(hooked)
    for draft in reading.drafts:
        gathering.add(draft)
    for seq, draft, messages in reading.left:
        gathering.talks[draft.conversation - 1].left += [(seq, message) for message in messages]
    places = sorted(_places(gathering.talks, hooked), key=lambda place: place.at)
    for number, place in enumerate(places, start=1):
        if place.draft is not None:
            place.draft.step = number
    known = mutating(hooked)
    steps = tuple(_step(place, number, known) for number, place in enumerate(places, start=1))
    answer = next((as_text(each.answer) for each in reversed(reading.finals) if each.answer is not None), None)
    return Story(
        run=reading.run,
        conversations=tuple(_conversations(gathering.talks, steps, answer)),
        steps=steps,
        answer=answer,
        errors=tuple(error for _, error in reading.raised),
        status=reading.status,
        incomplete=tuple(reading.gaps),
        has_ledger=reading.has_ledger,
        raised=tuple(Raised(bisect_left(places, seq, key=_seq_of), error) for seq, error in reading.raised),
    )


def _seq_of(place: Place) -> int:
    return place.at[0]


def _places(talks: list[Talk], hooked: list[Hooked]) -> Iterator[Place]:
    """Every step with its place in time."""
    asked = [(talk, each) for talk in talks for each in asked_in(talk)]
    join([each for _, each in asked], hooked)
    joined = set()
    for talk in talks:
        for draft in talk.drafts:
            yield Place((draft.seq, 0, 0), talk.number, draft=draft)
    for talk, each in asked:
        if each.hooked is None:
            yield Place((each.seq, 1, each.place), talk.number, asked=each)
        else:
            joined.add(each.hooked)
            yield Place((each.hooked.seq, 0, 0), talk.number, asked=each, hooked=each.hooked)
    yield from _unasked([each for each in hooked if each not in joined], talks)


def _unasked(hooked: list[Hooked], talks: list[Talk]) -> Iterator[Place]:
    """Calls that no model asked for: of the conversation that went on before them; without any, of their scope's."""
    replies = sorted((draft.replied_at or draft.seq, talk.number) for talk in talks for draft in talk.drafts)
    scopes: dict[str, int] = {}
    place, current = 0, 1
    for each in hooked:
        while place < len(replies) and replies[place][0] < each.seq:
            current = replies[place][1]
            place += 1
        number = current if talks else scopes.setdefault(each.event.scope, len(scopes) + 1)
        yield Place((each.seq, 0, 0), number, hooked=each)


def _without_inner(hooked: list[Hooked]) -> list[Hooked]:
    """Without calls that a tool only hands on: the same call, made and ended within another, to something else."""
    kept: list[Hooked] = []
    open_: list[Hooked] = []
    for each in hooked:
        open_ = [outer for outer in open_ if not outer.ended or outer.ended > each.seq]
        outer = next((outer for outer in open_ if _hands_on(outer, each)), None)
        if outer is None:
            kept.append(each)
            open_.append(each)
        else:
            outer.effects += each.effects
    return kept


def _hands_on(outer: Hooked, inner: Hooked) -> bool:
    one, other = outer.event, inner.event
    within = 0 < inner.ended < outer.ended
    return within and one.tool == other.tool and one.target != other.target and one.args == other.args


def _step(place: Place, number: int, known: dict[str, bool]) -> Turn | ToolStep:
    if place.draft is not None:
        return _turn(place.draft, number)
    name = place.hooked.event.tool if place.hooked else "" if place.asked is None else place.asked.use.name
    return step_of(place.asked, place.hooked, number, place.talk, mutates=known.get(name))


def _turn(draft: Draft, number: int) -> Turn:
    asked = draft.event.asked
    return Turn(
        step=number,
        call=draft.call,
        conversation=draft.conversation,
        model=draft.event.model,
        t=draft.t,
        new=tuple(draft.new),
        text=draft.text,
        uses=draft.uses,
        finish=draft.finish,
        ok=draft.ok,
        replied=draft.replied,
        error=draft.error,
        status=draft.status,
        complete=draft.complete,
        streamed=draft.event.stream,
        disconnected=draft.disconnected,
        offered=draft.offered,
        choice=forced(asked.get("tool_choice")),
        attempts=max(draft.attempts, 1),
        max_tokens=_most_tokens(asked),
        dropped=draft.dropped,
        tokens=draft.tokens,
        hosted=draft.hosted,
    )


def _most_tokens(asked: dict[str, Any]) -> int | None:
    for name in LIMITS:
        if name in asked and (limit := whole(asked[name])) is not None:
            return limit
    return None


def _conversations(talks: list[Talk], steps: tuple[Turn | ToolStep, ...], answer: str | None) -> Iterator[Conversation]:
    turns: dict[int, list[Turn]] = {talk.number: [] for talk in talks}
    tools: dict[int, list[ToolStep]] = {talk.number: [] for talk in talks}
    for step in steps:
        if isinstance(step, Turn):
            turns[step.conversation].append(step)
        else:
            tools.setdefault(step.conversation, []).append(step)
    forks = {talk.number: talk.forks for talk in talks}
    again = tries(talks)
    for number, made in tools.items():
        own = turns.get(number, [])
        said = [message for turn in own for message in turn.new]
        yield Conversation(
            number=number,
            turns=tuple(own),
            tools=tuple(made),
            users=tuple(message.text for message in said if message.role == "user"),
            system="\n".join(message.text for message in (own[0].new if own else ()) if message.role == "system"),
            final=(own[-1].text.strip() or None) if own else None,
            answer=answer if len(tools) == 1 else None,
            forks=forks.get(number),
            again=again.get(number),
        )
