"""The rows of one record: what tests and handlers read and write.

Equality on ids, references, enums and booleans is answered from indexes. Knows transactions, and no operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from squall.errors import is_weather, nearest, shown
from squall.worlds.fields.types import Rows, Unfit
from squall.worlds.tables import nearmiss
from squall.worlds.tables.base import Base
from squall.worlds.tables.committed import NOTHING, Committed
from squall.worlds.tables.ledger import Effect
from squall.worlds.tables.refusals import InvalidRow, NoSuchRow
from squall.worlds.tables.rows import Row, Stored
from squall.worlds.tables.transaction import Journal, View, Write

__tracebackhide__ = is_weather


class Table:
    """The rows of one record, in the order in which they were added.

    Inside a handler a table shows the handler's own unfinished writes; everyone else sees them once it has ended.
    Deleting a row that others refer to is allowed, as in a service without foreign keys: `no_orphans` finds it.
    """

    def __init__(self, base: Base, journal: Journal, rows: Rows) -> None:
        self.record = base.record
        self._committed = Committed(base)
        self._journal = journal
        self._refs = rows
        self._number = base.next_number

    # reading

    def get(self, id: Any) -> Row | None:
        """The row with this id, or None."""
        stored = self.stored(self._key(id))
        return None if stored is None else self._row(stored)

    def __getitem__(self, id: Any) -> Row:
        """The row with this id; `NoSuchRow` (a LookupError) if there is none."""
        return self._row(self._existing(id))

    def all(self) -> list[Row]:
        """All rows."""
        return [self._row(stored) for stored in self.select_stored({})]

    def where(self, **eq: Any) -> list[Row]:
        """The rows whose fields equal these values."""
        return [self._row(stored) for stored in self.select_stored(self._conditions(eq))]

    def pick(self, **eq: Any) -> Row:
        """The first row whose fields equal these values; `NoSuchRow` with the rows that come nearest if none does."""
        conditions = self._conditions(eq)
        told, stored = self._committed.only(conditions) if self._view() is None else (False, None)
        if not told:
            stored = next(self.select_stored(conditions), None)
        if stored is not None:
            return self._row(stored)
        brief, details = nearmiss.explain(self.record, conditions, list(self.select_stored({})))
        raise NoSuchRow(brief, details)

    def count(self, **eq: Any) -> int:
        """How many rows there are, or how many have these values."""
        if not eq and self._view() is None:
            return len(self._committed.rows)
        return sum(1 for _ in self.select_stored(self._conditions(eq)))

    def __len__(self) -> int:
        return self.count()

    def __iter__(self) -> Iterator[Row]:
        return iter(self.all())

    def __contains__(self, id: Any) -> bool:
        return self.stored(self._key(id)) is not None

    def __bool__(self) -> bool:
        return True  # an empty table is still a table

    def __repr__(self) -> str:
        return f"<table {self.record.name}: {self.count()} rows of {', '.join(self.record.fields)}>"

    # writing

    def insert(self, row: Mapping[str, Any] | None = None, /, **fields: Any) -> Row:
        """Add a row; fields that are left out are null, and the id is the next number unless given."""
        return self._row(self.insert_stored({**row, **fields} if row else fields))

    def update(self, id: Any, changes: Mapping[str, Any] | None = None, /, **fields: Any) -> Row:
        """Change fields of the row with this id; the id itself stays.

        Where the record has a version, it is counted up; an update that names one is refused if the row has another.
        """
        return self._row(self.update_stored(id, {**changes, **fields} if changes else fields))

    def delete(self, id: Any) -> Row:
        """Remove the row with this id and return what it was."""
        return self._row(self.delete_stored(id))

    def insert_stored(self, values: Mapping[str, Any]) -> Stored:
        """`insert` in terms of stored rows."""
        row = self.record.new(values, self._refs)
        if row["id"] is None:
            row["id"] = self._draw()
        elif self.stored(row["id"]) is not None:
            raise InvalidRow(f"there is already {nearmiss.named(self.record, row['id'])}")
        self.record.lifecycle.begin(row)
        self._write(Write(self, "insert", row["id"], row))
        return row

    def update_stored(self, id: Any, values: Mapping[str, Any]) -> Stored:
        """`update` in terms of stored rows."""
        stored = self._existing(id)
        changes = self.record.changes(values, self._refs)
        if changes.get("id", stored["id"]) != stored["id"]:
            raise InvalidRow(f"the id of {nearmiss.named(self.record, stored['id'])} cannot be changed")
        changes.pop("id", None)
        named = self.record.lifecycle.update(self.record.short, stored, changes)
        self._write(Write(self, "update", stored["id"], changes, named))
        return {**stored, **changes}

    def delete_stored(self, id: Any) -> Stored:
        """`delete` in terms of stored rows."""
        stored = self._existing(id)
        self._write(Write(self, "delete", stored["id"], {}))
        return stored

    # inside the room

    def stored(self, key: Any) -> Stored | None:
        """The stored row with this very id, as the calling context sees it."""
        view = self._view()
        if view is not None and key in view.rows:
            return view.rows[key]
        return self._committed.rows.get(key)

    def select_stored(
        self, conditions: Mapping[str, Any], among: Mapping[str, Iterable[Any]] = NOTHING
    ) -> Iterator[Stored]:
        """The stored rows with these (checked) values.

        Where an index can tell, those are left out whose fields have none of the values in `among`.
        """
        view = self._view()
        wanted = list(conditions.items())
        if view is None or not view.rows:
            rows = self._committed.rows
            for key in self._committed.candidates(conditions, among):
                row = rows.get(key)  # another thread may have deleted it since
                if row is not None and all(row[name] == value for name, value in wanted):
                    yield row
            return
        yield from self._seen(view, conditions, among)

    def committed(self) -> Mapping[Any, Stored]:
        """The rows as they stand for everyone; to be read at once."""
        return self._committed.rows

    def seeded(self) -> Mapping[Any, Stored]:
        """The rows as they were after seeding."""
        return self._committed.base.rows

    def effects(self, key: Any = None) -> list[Effect]:
        """What the ledger says of this table, or of one of its rows."""
        ledger = self._journal.ledger
        if key is not None:
            return ledger.of(self.record.name, str(key))
        return [effect for effect in ledger if effect.table == self.record.name]

    def near(self, key: Any) -> str | None:
        """An id that looks like `key`."""
        return nearest(key, self._committed.rows) if len(self._committed.rows) <= nearmiss.MANY else None

    def land(self, write: Write) -> tuple[Stored | None, Stored | None]:
        """Carry a committed write out; returns the row before and after it."""
        values = write.values
        if write.op == "update":
            values = self.record.lifecycle.counted(self._committed.rows[write.key], values)
        return self._committed.land(write.op, write.key, values)

    def place(self, key: Any) -> int:
        """Where a row stands, as the calling context sees it: a number that grows in table order."""
        view = self._view()
        if view is not None and key in view.places:
            return view.places[key]
        if view is not None and key in view.new:
            return self._committed.order.following + view.new[key]
        return self._committed.order.place(key)

    def give_back(self, start: int, end: int) -> None:
        """Count from `start` again, if no number was drawn since the count stood at `end`."""
        if self._number == end:
            self._number = start

    def _row(self, stored: Stored) -> Row:
        return self.record.row_class(stored, self)

    def _view(self) -> View | None:
        transaction = self._journal.current()
        return None if transaction is None else transaction.views.get(self)

    def _key(self, id: Any) -> Any:
        """`id` as ids of this record are stored: 7 and "7" both find a row."""
        if type(id) is self.record.key:
            return id
        if self.record.key is str:
            return str(id) if isinstance(id, int) else id if isinstance(id, str) else _unhashed(id)
        try:
            return int(id) if isinstance(id, str) and id.isascii() else _unhashed(id)
        except ValueError:
            return id

    def _existing(self, id: Any) -> Stored:
        key = self._key(id)
        stored = self.stored(key)
        if stored is None:
            near = self.near(key)
            details = f"; did you mean {near!r}?" if near and near != key else ""
            raise NoSuchRow(f"there is no {self.record.short} with id {shown(id)}", details)
        return stored

    def _draw(self) -> Any:
        transaction = self._journal.current()
        with self._journal.turn(None if transaction is None else transaction.call):
            start = self._number
            while self._taken(self.record.key(self._number)):
                self._number += 1
            number, self._number = self._number, self._number + 1
        if transaction is not None:
            transaction.view(self).drawn.append((start, number + 1))
        return self.record.key(number)

    def _taken(self, key: Any) -> bool:
        return self.stored(key) is not None or key in self._committed.rows

    def _write(self, write: Write) -> None:
        transaction = self._journal.current()
        if transaction is None:
            self._journal.write(write)
            return
        view = transaction.view(self)
        transaction.writes.append(write)
        if write.op == "delete":
            view.rows[write.key] = None
            view.new.pop(write.key, None)
            return
        if write.op == "insert":
            view.rows.pop(write.key, None)
            view.rows[write.key] = dict(write.values)
            view.came(write.key)
            return
        current = self.stored(write.key)
        view.rows[write.key] = {**(current or {}), **write.values}

    def _conditions(self, eq: Mapping[str, Any]) -> dict[str, Any]:
        """The wanted values as they are stored. Raises `InvalidRow` for what no row can have."""
        conditions = {}
        for name, value in eq.items():
            kind = self.record.fields.get(name)
            if kind is None:
                raise InvalidRow(self.record.unknown(name), reason="arguments")
            if name == "id":
                conditions[name] = self._key(value)
            else:
                try:
                    conditions[name] = None if value is None else kind.check(value)
                except Unfit as unfit:
                    raise InvalidRow(unfit.said(name), reason="arguments") from None
        return conditions

    def _seen(self, view: View, conditions: Mapping[str, Any], among: Mapping[str, Iterable[Any]]) -> Iterator[Stored]:
        """As `_select`, through the eyes of a transaction that has written to this table."""
        wanted = list(conditions.items())
        written = {key: row for key, row in view.rows.items() if row is not None}
        keys = self._committed.candidates(conditions, among)
        rows = self._committed.rows
        found = [row for key in keys if key not in view.rows and (row := rows.get(key)) is not None]
        changed = [row for key, row in written.items() if key not in view.new]
        if changed:
            found = sorted([*found, *changed], key=lambda row: self.place(row["id"]))
        found += [row for key, row in written.items() if key in view.new]
        for row in found:
            if all(row[name] == value for name, value in wanted):
                yield row


def _unhashed(id: Any) -> Any:
    """An id of a type that no row can have; what cannot be looked up at all is said."""
    try:
        hash(id)
    except TypeError:
        raise InvalidRow(f"{shown(id)} is not an id", reason="arguments") from None
    return id
