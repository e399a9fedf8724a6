"""A run whose world is altered behind the agent's back, to see whether the test notices.

The alteration comes right after the agent's last call, so that no agent can have seen it, and everything that is
asserted afterwards can: in the test's body and in functions given to `finally_`. Where nobody notices, it comes right
after the last write: a test may look at the world by calls of its own. Knows worlds and weather, no pytest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from squall.errors import SquallError
from squall.explore import Observed
from squall.runs.exploring.altering import MOST, Alteration, of_world
from squall.runs.exploring.weather import Weather
from squall.worlds import Effect, World

if TYPE_CHECKING:
    from squall.runs.environment import Environment

UNDER = Callable[[Weather], Observed]
NOTICED, UNNOTICED = "{what}: noticed ({by})", "{what}: NOT noticed"


def altered(under: UNDER) -> tuple[list[str], bool]:
    """Try all alterations; what came of each in words, and whether any was noticed or there was none to try.

    `under` makes a run in a weather.
    """
    plain = Altering()
    under(plain)
    told, found = list[str](), False
    for place, what in enumerate(plain.possible[:MOST]):
        by = next(filter(None, (_noticed(under, place, moment) for moment in plain.moments)), "")
        found = found or bool(by)
        told.append((NOTICED if by else UNNOTICED).format(what=what, by=by))
    return told, found or not told


def _noticed(under: UNDER, place: int, moment: int) -> str:
    """What noticed one alteration; "" where nothing did, or it could not be made."""
    weather = Altering(place, moment)
    observed = under(weather)
    return observed.what if weather.made and observed.status == "failed" else ""


class Altering(Weather):
    """Calm weather in which the world is altered by the alteration at `place`, right after the call number `moment`.

    `possible` are the alterations that there were, in words, after the last write of a run that was left alone;
    `moments` are the numbers of its last call and of its last that wrote; `made`: whether it has been altered.
    """

    def __init__(self, place: int | None = None, moment: int = 0) -> None:
        self._run: Environment | None = None
        super().__init__()
        self._place, self._moment = place, moment
        self.calls = 0
        self.possible: list[str] = []
        self.moments: tuple[int, ...] = ()
        self.made = False

    @property
    def run(self) -> Environment | None:
        """The run that it was made for."""
        return self._run

    @run.setter
    def run(self, run: Environment | None) -> None:
        self._run = run
        if run is not None and run.has_world:
            self._watch(run.world)

    def _watch(self, world: World) -> None:
        call = world.call

        def watched(*args: Any, **kwargs: Any) -> Any:
            before = world.revision
            answer = call(*args, **kwargs)
            if isawaitable(answer):
                return whole(answer, before)
            self._called(world, before)
            return answer

        async def whole(answer: Any, before: int) -> Any:
            value = await answer
            self._called(world, before)
            return value

        vars(world)["call"] = watched

    def _called(self, world: World, before: int) -> None:
        self.calls += 1
        if world.revision > before:
            self.possible = [each.what for each in alterations(world)]
            self.moments = (self.calls,)
        elif self.moments:
            self.moments = (self.calls, self.moments[-1])
        if self._place is not None and self.calls == self._moment:
            found = list(alterations(world))
            if self._place < len(found):
                self.made = _do(found[self._place])


def alterations(world: World) -> Iterator[Alteration]:
    """For each table that the run has changed: the last new row twice, the last write undone, another number in it."""
    yield from of_world(world)
    for effect in {effect.table: effect for effect in world.ledger}.values():
        row = effect.after or {}
        name = next((name for name, value in row.items() if name != "id" and _is_number(value)), None)
        if name is not None:
            short = effect.table.rpartition(".")[2]
            changed = {name: row[name] + 1}
            what = f"{name} of {short} {effect.id!r} is {changed[name]} in place of {row[name]}"
            yield Alteration(what, partial(_change, world, effect, changed))


def _change(world: World, effect: Effect, changed: Mapping[str, Any]) -> None:
    table = world[effect.table]
    key = next(key for key in table.committed() if str(key) == effect.id)
    table.update(key, changed)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _do(alteration: Alteration) -> bool:
    """Whether it could be made: a record may have rules of its own."""
    try:
        alteration.do()
    except (SquallError, ValueError, StopIteration):
        return False
    return True
