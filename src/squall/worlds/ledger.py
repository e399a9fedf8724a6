"""What changed: one `Effect` per committed write, and the list of them.

Rows in effects are copies in their wire form (JSON's own kinds). Knows no table and no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from squall.call import CallRef

Op = Literal["insert", "update", "delete"]


class Effect(msgspec.Struct, frozen=True):
    """One committed change of one row.

    `rev` is the revision that it made (the first is 1), `t` seconds since the run began, `table` `service.record`, `id`
    the row's id as a text, `before` and `after` the whole row (None where there was or is none), `call` which call did
    it (None: the test's own code).
    """

    rev: int
    t: float
    table: str
    op: Op
    id: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    call: CallRef | None = None

    @property
    def changes(self) -> dict[str, tuple[Any, Any]]:
        """The fields that differ, each with its value before and after."""
        before, after = self.before or {}, self.after or {}
        names = [*before, *(name for name in after if name not in before)]
        return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}

    def __str__(self) -> str:
        if self.op == "update":
            what = " (" + ", ".join(f"{name} {old!r} → {new!r}" for name, (old, new) in self.changes.items()) + ")"
        else:
            what = ""
        return f"rev {self.rev} at {self.t:g} s: {self.op}{what} by {self.call or 'the test itself'}"


class Ledger(list[Effect]):
    """The effects of a run in the order in which they were committed."""

    def of(self, table: str, id: str) -> list[Effect]:
        """The effects on one row, `table` as `service.record`."""
        return [effect for effect in self if effect.id == str(id) and effect.table == table]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"world.ledger is the list of effects and has no {name!r}; "
            f"the table of a record named ledger is world['ledger']"
        )
