"""Alters the end state of a run before it is judged, to see whether what is expected of it can fail at all.

A row that was added is there twice, or a write has never happened. Expectations that notice none of this would notice
no failure either. Knows worlds and the steps of scenarios, and no strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from squall.errors import SquallError
from squall.explore import Observed
from squall.runs.stepping import Steps
from squall.worlds import Effect, World

if TYPE_CHECKING:
    from squall.runs.environment import Environment

MOST = 40
"""Alterations that are tried."""


class Alteration(NamedTuple):
    """`what` is altered, in words, and how."""

    what: str
    do: Callable[[], Any]


class Noticed(NamedTuple):
    """What was altered, and which expectation noticed it: "" where none did."""

    what: str
    by: str


def of_world(world: World) -> Iterator[Alteration]:
    """For each table that the run has changed: its last new row twice, and its last write undone."""
    last = {effect.table: effect for effect in world.ledger}
    added = {effect.table: effect for effect in world.ledger if effect.op == "insert"}
    for name, effect in last.items():
        short = name.rpartition(".")[2]
        new = added.get(name)
        if new is not None and _key(world, new) is not None:
            yield Alteration(f"{short} {new.id!r} is there twice", partial(_again, world, new))
        yield Alteration(
            f"the last {effect.op} of {short}, {effect.id!r}, never happened", partial(_undo, world, effect)
        )


def of_steps(steps: Steps) -> Iterator[Alteration]:
    """For each step that writes and was made: it happened once more, and it never happened."""
    for index, times in enumerate(steps.done):
        if times:
            step = f"step {index}, {steps.tool_of(index)}"
            yield Alteration(f"{step}, happened once more", partial(steps.repeat, index))
            yield Alteration(f"{step}, never happened", partial(steps.forget, index))


class Altering:
    """Alters one run: the alteration at `place`, or none. Notes which there were, and whether it could be made."""

    def __init__(self, place: int | None = None) -> None:
        self._place = place
        self.possible: list[str] = []
        self.made = False

    def __call__(self, run: Environment, steps: Steps | None) -> None:
        """The run has ended, and is about to be judged."""
        found = [*(of_world(run.world) if run.has_world else ()), *(of_steps(steps) if steps is not None else ())][
            :MOST
        ]
        self.possible = [each.what for each in found]
        if self._place is None or self._place >= len(found):
            return
        try:
            found[self._place].do()
        except (SquallError, ValueError):  # against the rules of the world itself, and so no end state
            return
        self.made = True


def noticed(begin: Callable[[Altering], Callable[[], Observed]]) -> list[Noticed] | None:
    """What each alteration came to; None where the unaltered run fails already.

    `begin` makes a function that runs everything once, without faults, and lets the run be altered.
    """
    plain = Altering()
    if begin(plain)().bad:
        return None
    found = []
    for place, what in enumerate(plain.possible):
        altering = Altering(place)
        observed = begin(altering)()
        if altering.made:
            found.append(Noticed(what, observed.what if observed.bad else ""))
    return found


def _again(world: World, effect: Effect) -> None:
    row = dict(world.snapshot()[effect.table][effect.id])
    del row["id"]
    world[effect.table].insert(row)


def _undo(world: World, effect: Effect) -> None:
    table = world[effect.table]
    if effect.op == "insert":
        table.delete(_key(world, effect))
    elif effect.op == "delete":
        table.insert(effect.before)
    else:
        before = {name: value for name, value in (effect.before or {}).items() if name != "id"}
        table.update(_key(world, effect), before)


def _key(world: World, effect: Effect) -> Any:
    """The id of the effect's row as the table has it; None where the row is gone."""
    return next((key for key in world[effect.table].committed() if str(key) == effect.id), None)
