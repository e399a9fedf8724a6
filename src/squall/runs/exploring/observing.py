"""A finished run as the search needs to know it: the places where faults could happen, which did, how it ended.

Read off the trace. What an agent has seen by a point is a running digest over its lines, so that runs which agree in it
go on alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from squall.call import MODEL_TARGETS, Target
from squall.decide import Point
from squall.errors import LimitReached
from squall.explore import Choice, Observed, Seen
from squall.explore.observed import Access, Status
from squall.interpose.interposer import Beside
from squall.runs.exploring.catalog import Catalog
from squall.runs.exploring.identity import identity_of, words_of
from squall.runs.result import first_deciding, gives_way, status_of
from squall.trace.kinds import AnyEvent, Attempt, Effected, Faulted, Mark, ModelCall, ModelReply, RunStart, ToolCall
from squall.trace.line import event_of

if TYPE_CHECKING:
    from squall.runs.environment import Environment
    from squall.runs.exploring.weather import Weather
    from squall.runs.result import RunResult

SOMETIMES = "sometimes"
KIND = b'"kind":"'
TOLD = {
    str(kind.__struct_config__.tag).encode(): kind
    for kind in (RunStart, ToolCall, Attempt, ModelCall, Faulted, ModelReply, Mark, Effected)
}
"""The kinds of event that say more than that something was seen."""
REMEMBERED = 4096  # tails: runs of one exploration have most of theirs in common
LARGEST = 4096  # bytes of a tail that is remembered: long contexts of models would fill the memory
DIGEST = 12  # bytes
NOTHING: Mapping[int, Choice] = {}
UNTOLD = "there was nothing to change"
LASTING = frozenset({"tool_removed"})
"""Kinds that change what comes later, and not what their own caller sees."""


def observed(run: Environment, weather: Weather, catalog: Catalog) -> Observed:
    """What came of a finished run. Raises LookupError where it has not ended."""
    result = run.result
    if result is None:
        raise LookupError("the run has not ended")
    status, error = judged(result)
    read = _read(run, weather, catalog)
    if status == "passed" and len(read.fired) < len(weather.schedule):
        status = "not_fired"
    return Observed(
        status=status,
        failure="" if error is None else identity_of(error, status),
        message="" if error is None else words_of(error),
        seen=tuple(read.seen),
        fired=tuple(read.fired),
        trace_digest=read.digest,
        marks=frozenset(read.marks),
        asked=frozenset(read.asked),
        tokens=read.tokens if run.tokens is None else sum(run.tokens.values()),
        effects=read.effects if run.interposer.operations else None,  # nothing can change where nothing is
        spared=_spared(run, weather, read) if read.idle else (),
    )


def judged(result: RunResult) -> tuple[Status, BaseException | None]:
    """How a run ended, and the error that says so.

    What is wrong with the world goes before an agent that crashed, and so does what was to be judged and could not be:
    whatever a function given to `finally_` raises is no crash of the agent.
    """
    if result.status in ("passed", "not_fired", "skipped"):
        return result.status, None
    wrong = next((each for each in result.errors if status_of(each) == "failed"), None)
    wrong = wrong or next((each for each in result.errors if not gives_way(each)), None)
    if result.status == "crashed" and wrong is not None:
        return "failed", wrong
    return result.status, first_deciding(result.error, result.errors) or LimitReached("the run hung")


class _Read(NamedTuple):
    """What a trace tells, as `Observed` has it."""

    seen: list[Seen]
    fired: list[Choice]
    marks: set[str]
    asked: set[str]
    tokens: int
    effects: int
    digest: str
    idle: set[int]  # rules that were reached and changed nothing


def _read(run: Environment, weather: Weather, catalog: Catalog) -> _Read:
    targets = _targets(run)
    seen: list[Seen] = []
    fired: list[Choice] = []
    marks: set[str] = set()
    asked: set[str] = set()
    streams: dict[int, bool] = {}
    tokens = effects = 0
    idle: set[int] = set()
    state = hashlib.blake2b(digest_size=DIGEST)
    planned: dict[Point, dict[int, Choice]] = {}  # at a request there may be several faults
    for rule, choice in enumerate(weather.schedule):
        planned.setdefault(choice.point, {})[rule] = choice
    pending: dict[int, Choice] = {}  # faults at calls that have arrived, and of which nothing has been seen yet
    besides: Sequence[Beside] = run.interposer.besides
    may_lose = run.interposer.may_lose
    tails = () if run.recorder is None else run.recorder.tails
    for number, tail in enumerate(tails):
        if besides:
            besides = _besides(besides, number, seen, _state(state, pending), catalog)
        event = _remembered(tail) if len(tail) <= LARGEST else _told(tail)
        if event is None:
            pass
        elif isinstance(event, ToolCall):
            point = Point("tool", event.scope, event.target, event.digest, event.nth, event.attempt)
            target = targets.get(event.target)
            lost = may_lose.get(event.call, ())
            choices = () if target is None else catalog.at(point, target, written=effects > 0, may_lose=lost)
            seen.append(Seen(point, len(seen), _access(target), choices, _state(state, pending)))
            pending |= planned.get(point, NOTHING)
        elif isinstance(event, Effected):
            effects += 1
        elif isinstance(event, Attempt):
            if not event.digest:
                continue
            point = Point("model", event.scope, event.target, event.digest, event.nth, event.attempt)
            target = MODEL_TARGETS.get(event.target.removeprefix("model."))
            does = streams.get(event.call, False)
            choices = () if target is None else catalog.at(point, target, streams=does)
            seen.append(Seen(point, len(seen), "", choices, _state(state, pending)))
            pending |= planned.get(point, NOTHING)
        elif isinstance(event, ModelCall):
            streams[event.call] = event.stream
        elif isinstance(event, Faulted):
            pending.pop(event.rule, None)
            if not event.fired:
                idle.add(event.rule)
            if event.fired and event.rule < len(weather.schedule):
                fired.append(weather.schedule[event.rule])
            if event.fired and (not event.call or event.phase == "late" or event.fault in LASTING):
                state.update(tail)  # no other event tells of it, or not yet
            continue
        elif isinstance(event, ModelReply):
            tokens += event.usage.get("input", 0) + event.usage.get("output", 0)
        elif isinstance(event, Mark):
            if SOMETIMES in event.data:
                asked.add(event.name)
                if event.data[SOMETIMES]:
                    marks.add(event.name)
        else:  # how it began is the same in all runs but for the schedule
            continue
        state.update(tail)
    return _Read(seen, fired, marks, asked, tokens, effects, state.hexdigest(), idle)


def _spared(run: Environment, weather: Weather, read: _Read) -> tuple[tuple[Choice, str], ...]:
    """The faults that found their call and could not happen there, with the reason."""
    why = run.spared
    return tuple(
        (choice, why.get(rule, UNTOLD))
        for rule, choice in enumerate(weather.schedule)
        if rule in read.idle and choice not in read.fired
    )


def _told(tail: bytes) -> AnyEvent | None:
    """The event of a line, where it is of one of those kinds. Nobody changes it."""
    name = tail.index(KIND) + len(KIND)
    if tail[name : tail.index(b'"', name)] not in TOLD:
        return None
    return event_of(b"{" + tail)


_remembered = lru_cache(REMEMBERED)(_told)


def _state(state: hashlib.blake2b, pending: Mapping[int, Choice]) -> str:
    """All that has been seen, and what is certain to be seen: calls may be on their way at the same time."""
    return f"{state.hexdigest()} {sorted(map(repr, pending.values()))}" if pending else state.hexdigest()


def _besides(
    besides: Sequence[Beside], number: int, seen: list[Seen], state: str, catalog: Catalog
) -> Sequence[Beside]:
    """Take in the points that came before the event of this number and are no calls; gives those that came later."""
    place = 0
    while place < len(besides) and besides[place].at <= number:
        _, target, point = besides[place]
        if choices := catalog.beside(point, target):
            seen.append(Seen(point, len(seen), "", choices, state))
        place += 1
    return besides[place:]


def _targets(run: Environment) -> Mapping[str, Target]:
    return {operation.target.name: operation.target for operation in run.interposer.operations.values()}


def _access(target: Target | None) -> Access:
    return "" if target is None else target.access
