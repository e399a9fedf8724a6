"""What changed: one `Effect` per committed write, and the list of them.

Rows in effects are copies in their wire form (JSON's own kinds). Knows no table and no file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

import msgspec

from squall.call import CallRef
from squall.errors import is_weather, no_attribute
from squall.worlds.tables import words

__tracebackhide__ = is_weather

Op = Literal["insert", "update", "delete"]


class Effect(msgspec.Struct, frozen=True):
    """One committed change of one row.

    `rev` is the revision that it made (the first is 1), `t` seconds since the run began, `table` `service.record`, `id`
    the row's id as a text, `before` and `after` the whole row (None where there was or is none), `call` which call did
    it (None: the test's own code). `unquoted` names the fields whose texts stand for moments and exact numbers.
    """

    rev: int
    t: float
    table: str
    op: Op
    id: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    call: CallRef | None = None
    unquoted: Collection[str] = ()

    @property
    def changes(self) -> dict[str, tuple[Any, Any]]:
        """The fields that differ, each with its value before and after."""
        before, after = self.before or {}, self.after or {}
        names = [*before, *(name for name in after if name not in before)]
        return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}

    def __str__(self) -> str:
        what = f" ({words.changes(self.changes, self.unquoted)})" if self.op == "update" else ""
        return f"rev {self.rev} at {self.t:g} s: {self.op}{what} by {self.call or 'the test itself'}"


class Listeners(list[Callable[[Effect], None]]):
    """Functions that are told of each effect."""

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(
            f"world.on_effect is a list of functions and has no {name!r}; "
            f"the table of a record named on_effect is world['on_effect']",
            name,
        )


class Ledger(list[Effect]):
    """The effects of a run in the order in which they were committed."""

    def of(self, table: str, id: str) -> list[Effect]:
        """The effects on one row, `table` as `service.record`."""
        return [effect for effect in self if effect.id == str(id) and effect.table == table]

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(
            f"world.ledger is the list of effects and has no {name!r}; "
            f"the table of a record named ledger is world['ledger']",
            name,
        )
