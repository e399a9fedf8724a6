"""Idempotency keys, as payment services have them: the same key and the same request give the first answer again.

The same key with another request is refused. Two requests are the same if they hold the same values, however spelt:
`1.5` and `"1.50"` are one decimal. A request that was refused has left nothing behind, so its key is free. A key is
forgotten after its time. Knows how a world remembers, and nothing of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from squall.call import Refused
from squall.canonical import digest, plain
from squall.errors import shown
from squall.worlds.fields.types import FieldType, Unfit
from squall.worlds.services.nesting import Child
from squall.worlds.services.params import Param
from squall.worlds.services.spelling import one_form
from squall.worlds.tables.transaction import Begin, Run

if TYPE_CHECKING:
    from squall.worlds.world import World

DAY = 86_400.0


@dataclass(frozen=True)
class Key:
    """The argument of a `create` that holds its idempotency key, and for how many seconds a key is remembered."""

    field: str
    expires: float = DAY

    def param(self, *, required: bool) -> Param:
        """It as an argument."""
        words = "a key of your choice: requests with the same key are carried out once, and answered the same"
        return Param(self.field, required, {"type": "string"}, None, words)


class Answered(NamedTuple):
    """What a key was first used for, what was answered, and until when (seconds of the run) that is remembered."""

    request: str
    answer: Any
    until: float


def once(tool: str, key: Key, create: Run, fields: Mapping[str, FieldType], children: tuple[Child, ...]) -> Run:
    """`create`, once for each key. `fields` and `children` are what its arguments are."""
    inside = {child.key: child.record.fields for child in children}

    def run(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        value = args.get(key.field)
        if value is None:
            return create(world, args, begin)
        if not isinstance(value, str) or not value:
            raise Refused(f"{key.field}: {shown(value)} is not a key; send a text of your choice", "arguments")
        meant = {name: _meant(given, fields.get(name), inside.get(name)) for name, given in args.items()}
        request, slot, journal = digest(plain(meant)), (tool, value), world.journal
        with journal.turn(begin().call):  # from the look at the key until its row has landed
            now = world.clock.elapsed()
            known: Answered | None = journal.memory.recall(slot, journal.current())
            if known is None or now >= known.until:
                return first(world, args, begin, Answered(request, None, now + key.expires))
        if known.request != request:
            text = f"{key.field} {shown(value)} was already used for a request with other parameters"
            raise Refused(f"{text}; use another key for another request", "invalid")
        return deepcopy(known.answer)

    def first(world: World, args: Mapping[str, Any], begin: Begin, noted: Answered) -> Any:
        with begin() as transaction:
            answer = create(world, args, begin)
            slot = (tool, args[key.field])
            world.journal.memory.keep(slot, noted._replace(answer=deepcopy(answer)), transaction)
        return answer

    return run


def _meant(given: Any, kind: FieldType | None, inside: Mapping[str, FieldType] | None) -> Any:
    """What an argument comes to, however it is spelt; one that its type does not take is as it is.

    `inside` are the fields of the rows that it holds, where it holds rows.
    """
    if inside is not None and isinstance(given, list | tuple):
        return [_meant_row(item, inside) for item in given]
    if kind is None:
        return given
    try:
        return one_form(kind.check(given))
    except Unfit:
        return given


def _meant_row(given: Any, fields: Mapping[str, FieldType]) -> Any:
    if not isinstance(given, Mapping):
        return given
    return {name: _meant(value, fields.get(name), None) for name, value in given.items()}
