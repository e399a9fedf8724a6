"""The table API against the simplest model there is, a dict; and transactions, which leave all or nothing behind."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from squall.documents import parse
from squall.worlds import InvalidRow, NoSuchRow, World
from squall.worlds.tables.transaction import Transaction

WORLD = parse(
    """
    services:
      a:
        records:
          owner: { name: str }
          thing: { owner: 'ref[a.owner]?', kind: enum[x, y], n: int }
        seed: { owner: 3, thing: 4 }
    """,
    format="yaml",
    name="model.yaml",
)
IDS = st.sampled_from([*map(str, range(1, 9)), "k"])
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "owner": st.sampled_from(["1", "2", "3", None]),
        "kind": st.sampled_from("xy"),
        "n": st.integers(0, 2),
    },
)


class TableMachine(RuleBasedStateMachine):
    """Writes go to the table and to a dict; a transaction is a copy of the dict that is kept or thrown away."""

    @initialize()
    def begin(self):
        self.world = World.parse(WORLD)
        self.table = self.world.thing
        self.model = {row.id: row.to_dict() for row in self.table}
        self.open = []
        self.writes = 0

    def teardown(self):
        while self.open:
            self.roll_back()

    def wrote(self):
        if self.open:
            self.open[-1]["writes"] += 1
        else:
            self.writes += 1

    @rule(id=st.none() | IDS, fields=FIELDS)
    def insert(self, id, fields):
        given = fields if id is None else {**fields, "id": id}
        if id in self.model:
            try:
                self.table.insert(given)
            except InvalidRow:
                return
            raise AssertionError("a taken id was accepted")
        row = self.table.insert(given)
        assert id is None or row.id == id
        assert row.id not in self.model
        self.model[row.id] = {"id": row.id, "owner": None, "kind": None, "n": None, **fields}
        self.wrote()

    @rule(id=IDS, fields=FIELDS)
    def update(self, id, fields):
        if id not in self.model:
            try:
                self.table.update(id, fields)
            except NoSuchRow:
                return
            raise AssertionError("a missing row was updated")
        assert self.table.update(id, fields) == {**self.model[id], **fields}
        self.model[id] = {**self.model[id], **fields}
        self.wrote()

    @rule(id=IDS)
    def delete(self, id):
        if id not in self.model:
            return
        assert self.table.delete(id) == self.model.pop(id)
        self.wrote()

    @rule(id=IDS, fields=FIELDS)
    def refuse_a_wrong_write(self, id, fields):
        for write in (self.table.insert, lambda given: self.table.update(id, given)):
            try:
                write({**fields, "n": "many"})
            except (InvalidRow, NoSuchRow):
                continue
            raise AssertionError("a wrong value was accepted")

    @rule(fields=FIELDS)
    def query(self, fields):
        expected = [row for row in self.model.values() if all(row[name] == value for name, value in fields.items())]
        assert self.table.where(**fields) == expected
        assert self.table.count(**fields) == len(expected)
        if expected:
            assert self.table.pick(**fields) == expected[0]

    @precondition(lambda self: len(self.open) < 3)
    @rule()
    def open_transaction(self):
        transaction = Transaction(self.world.journal, None)
        transaction.__enter__()
        self.open.append({"transaction": transaction, "model": dict(self.model), "writes": 0})

    @precondition(lambda self: self.open)
    @rule()
    def commit(self):
        level = self.open.pop()
        level["transaction"].__exit__(None, None, None)
        if self.open:
            self.open[-1]["writes"] += level["writes"]
        else:
            self.writes += level["writes"]

    @precondition(lambda self: self.open)
    @rule()
    def roll_back(self):
        level = self.open.pop()
        error = ValueError("no")
        level["transaction"].__exit__(ValueError, error, None)
        self.model = level["model"]

    @invariant()
    def rows_are_those_of_the_model_in_its_order(self):
        assert self.table.all() == list(self.model.values())
        assert len(self.table) == len(self.model)
        for id, row in self.model.items():
            assert self.table.get(id) == row

    @invariant()
    def the_ledger_has_one_effect_for_each_committed_write(self):
        assert self.world.revision == len(self.world.ledger) == self.writes
        assert [effect.rev for effect in self.world.ledger] == list(range(1, self.writes + 1))

    @invariant()
    def replaying_the_ledger_gives_the_committed_rows(self):
        rows: dict[str, Any] = {str(id): self.table.record.wire(row) for id, row in self.table.seeded().items()}
        for effect in self.world.ledger:
            assert rows.get(effect.id) == effect.before
            if effect.after is None:
                del rows[effect.id]
            else:
                rows[effect.id] = effect.after
        assert rows == self.world.snapshot()["a.thing"]


TestTable = TableMachine.TestCase
TestTable.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
