"""Which faults are worth trying at a point: by what each kind says of itself (wire, read or write, streaming).

Left out unless they are asked for by name are faults of which no agent can know (a wrong value that looks right, a
request that arrives twice where no key could tell the second one from another), those that only end a run (a hang), and
near copies of others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from squall.call import STREAMING, Form, Target
from squall.decide import Point
from squall.explore import Choice
from squall.faults import Kind
from squall.faults.at_model import SLOTS, Slot
from squall.faults.kinds import delay, duplicate, lost, paged_tools, step, stream
from squall.faults.registry import kind_named, nearest_name, shown
from squall.faults.streams import AFTER

USUAL: Mapping[str, Sequence[str]] = {
    "tool": (
        "timeout",
        "connection_lost",
        "http_503",
        "http_429",
        "error_in_200",
        "malformed_json",
        "empty_result",
        "stale_read",
        "duplicate_delivery",
        "stream_disconnect",
    ),
    "session": ("session_lost", "server_exit", "paged_tools"),
    "event": ("duplicate", "delay"),
    "model": (
        "http_503",
        "http_429",
        "timeout",
        "connection_error",
        "malformed_json",
        "empty_content",
        "length_cut",
        "truncated_arguments",
        "stream_disconnect",
        "clean_eof",
    ),
}
"""What is tried where nobody names kinds, from the plainest on."""
PLAINEST = tuple(dict.fromkeys(name for usual in USUAL.values() for name in usual))
PHASES: Mapping[str, Sequence[str]] = {
    "timeout": ("after", "before", "late"),
    "connection_lost": ("after", "before"),
    "http_503": ("before", "after"),
    "malformed_json": ("after", "before"),
}
"""The phases in which a kind is tried at a write; others are tried in their own. At a read they make no difference."""
Faults = tuple[tuple[str, str, tuple[tuple[str, Any], ...]], ...]
"""Kinds with phases and parameters."""
OF_STREAMS = frozenset(kind.name for kind in stream.TABLE)
OF_BODIES = frozenset({"malformed_json", "empty_choices", "short_body"})
"""Kinds that spoil a reply which is one body, and cannot happen to a stream."""
SIZES = ("answer_after", "late_by", "seconds", "ms", "after", "retry_after", "writes")
"""Parameters of which less is simpler."""
OF_KEYS = frozenset({"duplicate_delivery"})
"""Kinds that are up to the agent only where a call may have an idempotency key."""
OF_WRITES = frozenset({"stale_read"})
"""Kinds that make no difference before the first write of a run."""
OF_SESSIONS: Mapping[str, Form] = {"session_lost": "session_lost", "server_exit": "exited"}
"""Kinds that end more than their call, and the outcome that says what: tried where the caller has that to lose."""
EVENTS = {kind.name: kind for kind in (duplicate.KIND, delay.KIND, lost.KIND)}
"""What can happen to an event; that it is lost is tried where somebody asks, since no agent can know of it."""
OF_STEPS = {kind.name: kind for kind in step.TABLE}
BESIDE = (("memory.step*", "stale_memory"), ("asks.step*", "repeated_call"), ("asks.task", "duplicate_task"))
"""What can happen beside the calls of a scenario's steps: to a memory of one, to what asks for one or for all."""
STEP = re.compile(r"step\d+\.")
NOT_AT_STEPS = frozenset({"stale_read", "tool_removed", *(kind for _, kind in BESIDE)})
"""Kinds that need a world, and those that are beside a step and not at its call."""
AS_IT_IS: Sequence[Mapping[str, Any]] = ({},)
PARAMS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "http_429": ({"retry_after": 2.0},),
    "length_cut": ({}, {"keep": 0.9}),
    "truncated_arguments": ({"keep": 0.9}, {}),
    "clean_eof": ({"after": AFTER}, {"after": 6}, {}),
}
"""Parameters that a kind is tried with, where its own defaults are not enough: arguments that are cut near their end
can be closed by force, and then say something else; a stream ends within a text, within a call, and after either."""


AFTER_SLOT: Mapping[Slot | None, Sequence[Slot]] = {"wait": SLOTS[1:], "reply": ("pace", "end"), "pace": ("end",)}
"""What can happen to one request after a fault in a slot. What comes in place of a reply leaves nothing to others."""


class Catalog:
    """The faults to try, with the kinds that a search is for. Names may be globs."""

    def __init__(self, kinds: Collection[str] = ()) -> None:
        self._kinds = tuple(kinds)
        self._choices: dict[tuple[Point, bool, bool, tuple[Form, ...]], tuple[Choice, ...]] = {}

    def at(
        self,
        point: Point,
        target: Target,
        *,
        streams: bool = False,
        written: bool = True,
        may_lose: tuple[Form, ...] = (),
    ) -> tuple[Choice, ...]:
        """What can be tried at a point; the same object each time.

        `written`: something was written before it. `may_lose`: what its caller may lose beside the reply.
        """
        key = point, streams, written, may_lose
        found = self._choices.get(key)
        if found is None:
            faults = _faults(target, streams, self._kinds, may_lose)
            possible = [each for each in faults if written or each[0] not in OF_WRITES]
            found = self._choices[key] = tuple(Choice(point, kind, phase, params) for kind, phase, params in possible)
        return found

    def beside(self, point: Point, target: Target) -> tuple[Choice, ...]:
        """What can be tried at a point that is no call (a list of tools, an event, beside a step); else nothing."""
        if target.wire == "session":
            kind = paged_tools.KIND
            wanted = self._wants(kind.name, usual=True) and _possible(kind, {}, target)
            return (Choice(point, kind.name, kind.phase),) if wanted else ()
        if target.wire == "event":
            found = [name for name in EVENTS if self._wants(name, usual=name in USUAL["event"])]
            return tuple(Choice(point, name, EVENTS[name].phase) for name in found)
        named = next((kind for glob, kind in BESIDE if fnmatchcase(target.name, glob)), None)
        if named is None or not self._wants(named, usual=True):
            return ()
        return (Choice(point, named, OF_STEPS[named].phase),)

    def _wants(self, name: str, *, usual: bool) -> bool:
        return any(fnmatchcase(name, glob) for glob in self._kinds) if self._kinds else usual


def follows(first: Choice, then: Choice) -> bool:
    """Whether a fault can happen to what another one has left of the same request to a model."""
    if first.point.wire != "model" or first.point != then.point:
        return False
    return _slot(then.kind) in AFTER_SLOT.get(_slot(first.kind), ())


def known(pattern: str) -> bool:
    """Whether there is a kind that a name or glob means."""
    of_family = kind_named(pattern, "tool") or kind_named(pattern, "model")  # http_418, which no list names
    return of_family is not None or any(fnmatchcase(name, pattern) for name in names())


def names() -> list[str]:
    """The kinds that can be asked for by name."""
    named = [*USUAL["tool"], *USUAL["model"], *shown("tool"), *shown("model"), *OF_STEPS]
    return [name for name in dict.fromkeys(named) if name != "http_STATUS"]


def nearest_to(name: str) -> str | None:
    """The one of them that a name was probably meant to be."""
    return nearest_name(name, names())


def _slot(kind: str) -> Slot | None:
    found = kind_named(kind, "model")
    return None if found is None else found.slot


@lru_cache(4096)
def _faults(
    target: Target,
    streams: bool,  # noqa: FBT001 - a key of the cache
    kinds: tuple[str, ...],
    may_lose: tuple[Form, ...],
) -> Faults:
    side = "model" if target.wire == "model" else "tool"
    found = []
    for name in _wanted(side, kinds):
        is_step = side == "tool" and STEP.match(target.name) is not None
        kind = (OF_STEPS.get(name) if is_step else None) or kind_named(name, side)
        if kind is None or not _fits(kind, target, streams) or (is_step and name in NOT_AT_STEPS):
            continue
        if not kinds and name in OF_KEYS and target.key is None and not is_step:  # a step takes a key of anybody
            continue
        if side == "tool" and name in OF_SESSIONS and OF_SESSIONS[name] not in may_lose:
            continue
        phases = PHASES.get(name, (kind.phase,)) if side == "tool" and target.access == "write" else (kind.phase,)
        for given in PARAMS.get(name, AS_IT_IS):
            if _possible(kind, given, target):
                found += [(name, phase, tuple(sorted(given.items()))) for phase in phases]
    return tuple(found)


def _possible(kind: Kind, given: Mapping[str, Any], target: Target) -> bool:
    try:
        params = kind.params(**given)
    except ValidationError:  # it needs a parameter that nobody gave
        return False
    return kind.misfit(params, target) is None


def _wanted(side: str, kinds: tuple[str, ...]) -> Sequence[str]:
    if not kinds:
        return USUAL[side] if side == "model" else [*USUAL["tool"], *USUAL["session"]]
    possible = [*USUAL[side], *shown("model")] if side == "model" else [*USUAL[side], *shown("tool"), *OF_STEPS]
    exact = [name for name in kinds if "*" not in name]
    globs = [name for name in dict.fromkeys(possible) if any(fnmatchcase(name, glob) for glob in kinds)]
    return [name for name in dict.fromkeys([*globs, *exact]) if name != "http_STATUS"]


def _fits(kind: Kind, target: Target, streams: bool) -> bool:  # noqa: FBT001 - as above
    if target.wire == "model":
        if kind.name in OF_STREAMS and not (streams and target.name in STREAMING):
            return False
        if kind.name in OF_BODIES and streams:
            return False
        return target.name in kind.targets
    return kind.wire == "tool" and target.access in kind.access
