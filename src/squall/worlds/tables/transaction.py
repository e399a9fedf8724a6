"""All or nothing: a handler's writes are kept aside and land together, or not at all.

A transaction holds its own view of the rows it touched, seen only from its own context (its task, its thread), so that
handlers which interleave never see, nor undo, one another's unfinished writes. At its end the writes are replayed on
the tables in order; each one is one effect and one revision. Knows tables only through what `Journal` needs of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextvars import ContextVar, Token
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from squall.call import CallRef
from squall.clock import Clock
from squall.errors import is_weather
from squall.worlds.events.dispatch import Dispatch, Emission
from squall.worlds.tables.ledger import Effect, Ledger, Listeners, Op
from squall.worlds.tables.memory import Kept, Memory
from squall.worlds.tables.refusals import InvalidRow
from squall.worlds.tables.turns import Turns

if TYPE_CHECKING:
    from squall.worlds.tables.table import Table
    from squall.worlds.world import World

__tracebackhide__ = is_weather

_open: ContextVar[Transaction | None] = ContextVar("squall_transaction", default=None)


Begin = Callable[[], "Transaction"]
"""Opens the transaction of one call."""
Run = Callable[["World", Mapping[str, Any], Begin], Any]
"""Runs an operation in a world: with its arguments, and with what opens the transaction of the call."""


class Write(NamedTuple):
    """One write: the whole row for an insert, the changed fields for an update, nothing for a delete.

    `named` is the version that an update was made for, if it says so.
    """

    table: Table
    op: Op
    key: Any
    values: Mapping[str, Any]
    named: int | None = None


class Change(NamedTuple):
    """What a row was before a write; of one that was deleted, also where it stood."""

    table: Table
    key: Any
    before: dict[str, Any] | None
    place: int | None


class View:
    """The rows of one table as a transaction sees them: those it wrote (None: deleted), and which are new.

    `new` numbers them in the order in which they came; `places` has those of rows that stand elsewhere by now. `drawn`
    are the ids it took from the sequence: where the count stood before and after each.
    """

    __slots__ = ("_count", "drawn", "new", "places", "rows")

    def __init__(self) -> None:
        self.rows: dict[Any, dict[str, Any] | None] = {}
        self.new: dict[Any, int] = {}
        self.places: dict[Any, int] = {}
        self.drawn: list[tuple[int, int]] = []
        self._count = 0

    def copy(self) -> View:
        """The same, for a transaction inside this one."""
        twin = View()
        twin.rows, twin.new, twin.drawn = self.rows.copy(), self.new.copy(), self.drawn.copy()
        twin.places, twin._count = self.places.copy(), self._count
        return twin

    def came(self, key: Any) -> None:
        """A row was added at the end."""
        self.new[key] = self._count
        self._count += 1


class Transaction:
    """A context manager: commits when its body ends, drops everything when it raises or `keep` is false.

    Inside another transaction of the same world it hands its writes to that one.
    """

    def __init__(self, journal: Journal, call: CallRef | None, *, keep: bool = True) -> None:
        self.journal = journal
        self.outer = _open.get()
        self.parent = journal.current()
        self.call: CallRef | None = call if call is not None or self.parent is None else self.parent.call
        self.keep = keep
        self.closed = False
        self.hidden = 0  # so many of the latest writes it does not see
        self.writes: list[Write] = []
        self.kept: dict[Hashable, Kept] = {}
        self.emitted: list[Emission] = []
        self.started = journal.revision
        self.views: dict[Table, View] = {}
        if self.parent is not None:
            self.views = {table: view.copy() for table, view in self.parent.views.items()}

    def __enter__(self) -> Self:
        self._token: Token[Transaction | None] = _open.set(self)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        _open.reset(self._token)
        self.closed = True
        if error is not None or not self.keep:
            self._drop()
        elif self.parent is not None:
            self.parent.views = self.views
            self.parent.writes += self.writes
            self.parent.kept |= self.kept
            self.parent.emitted += self.emitted
        elif self.writes or self.kept or self.emitted:
            try:
                self.journal.land(self)
            except InvalidRow:
                self._drop()
                raise

    def view(self, table: Table) -> View:
        """The view of `table`, begun if it is the first."""
        view = self.views.get(table)
        if view is None:
            view = self.views[table] = View()
        return view

    def emit(self, name: str | None, data: Any) -> None:
        """Let the event `name` (None: no event) happen once this has landed."""
        if name is not None:
            self.emitted.append(Emission(name, data))

    def _drop(self) -> None:
        """Give the ids back that nobody needs now: the numbers drawn last, unless others were drawn since."""
        for table, view in self.views.items():
            known = len(self.parent.views[table].drawn) if self.parent and table in self.parent.views else 0
            for start, end in reversed(view.drawn[known:]):
                table.give_back(start, end)


class Past(Transaction):
    """A transaction that sees the world as it was before the latest `writes` writes, and keeps nothing.

    It sees what a transaction around it has written, unless it is `alone`.
    """

    def __init__(self, journal: Journal, writes: int, *, alone: bool = False) -> None:
        super().__init__(journal, None, keep=False)
        if alone:
            self.views = {}
        self.hidden = min(writes, len(journal.history))
        for table, key, before, place in reversed(journal.history[len(journal.history) - self.hidden :]):
            view = self.view(table)
            view.rows[key] = before
            view.new.pop(key, None)
            if place is not None:
                view.places[key] = place


class Journal:
    """The revision, the ledger and the door through which every write of one world goes."""

    def __init__(self, clock: Clock, dispatch: Dispatch) -> None:
        self.clock = clock
        self.dispatch = dispatch
        self.revision = 0
        self.ledger = Ledger()
        self.history: list[Change] = []
        self.listeners = Listeners()
        self.memory = Memory()
        self.turns = Turns()

    def current(self) -> Transaction | None:
        """The transaction of this world that the calling context is in."""
        transaction = _open.get()
        while transaction is not None and (transaction.journal is not self or transaction.closed):
            transaction = transaction.outer
        return transaction

    def turn(self, call: CallRef | None) -> Turns:
        """The turn of the thread that works for `call`; the test's own code (None) does not wait for long."""
        return self.turns.taken(patient=call is not None)

    def lagging(self, seconds: float) -> Past:
        """The world as it was so many seconds ago, for a reader who knows of no unfinished writes."""
        with self.turns.taken(patient=True):
            now, lag = _micros(self.clock.elapsed()), _micros(seconds)
            young = takewhile(lambda effect: now - _micros(effect.t) < lag, reversed(self.ledger))
            writes = sum(1 for _ in young)
            around = self.current()
            while around is not None:
                writes = max(writes, around.hidden)
                around = around.parent
            return Past(self, writes, alone=True)

    def land(self, transaction: Transaction) -> None:
        """Replay the writes of a finished transaction on the tables. Raises `InvalidRow` before the first of them."""
        with self.turn(transaction.call):
            self.memory.agree(transaction.kept)
            if self.revision != transaction.started:
                _agree(transaction.writes)
            self.memory.land(transaction.kept)
            emitted: list[Emission] = []
            effects = [self._land(write, transaction.call, emitted) for write in transaction.writes]
            self.ledger.extend(effects)
        self._tell(effects)
        emitted += transaction.emitted
        if emitted:
            self.dispatch.send(emitted, transaction.call)

    def write(self, write: Write) -> None:
        """A write outside of any transaction: it lands at once."""
        with self.turn(None):
            emitted: list[Emission] = []
            effect = self._land(write, None, emitted)
            self.ledger.append(effect)
        self._tell([effect])
        if emitted:
            self.dispatch.send(emitted, None)

    def _land(self, write: Write, call: CallRef | None, emitted: list[Emission]) -> Effect:
        place = write.table.place(write.key) if write.op == "delete" else None
        before, after = write.table.land(write)
        self.history.append(Change(write.table, write.key, before, place))
        self.revision += 1
        table = write.table.record
        if before is not None and after is not None:
            emitted += [Emission(name, table.wire(after)) for name in table.lifecycle.events(before, after)]
        return Effect(
            self.revision,
            self.clock.elapsed(),
            table.name,
            write.op,
            str(write.key),
            table.wire(before) if before is not None else None,
            table.wire(after) if after is not None else None,
            call,
            table.unquoted,
        )

    def _tell(self, effects: list[Effect]) -> None:
        for effect in effects:
            for listener in self.listeners:
                listener(effect)


def _micros(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _agree(writes: list[Write]) -> None:
    """Whether writes that were made against an older state still fit, now that others have landed."""
    rows: dict[tuple[Table, Any], Mapping[str, Any] | None] = {}
    for table, op, key, values, named in writes:
        record = table.record
        row = rows.get((table, key), table.stored(key))
        if (row is not None) == (op == "insert"):
            happened = "was deleted" if row is None else "was created"
            raise InvalidRow(f"{record.short} {str(key)!r} {happened} by another request in the meantime")
        if row is not None and op == "update":
            record.lifecycle.land(record.short, row, values, named)
            values = record.lifecycle.counted(row, values)
        rows[table, key] = None if op == "delete" else {**(row or {}), **values}
