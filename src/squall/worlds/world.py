"""A world: fake services with state, reached as tables by tests and handlers and as operations by tools.

Knows no protocol, no fault and no trace: whoever carries calls uses `operations` and `call`, whoever records listens on
`on_effect`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from squall.call import CallRef
from squall.clock import START, Clock, VirtualClock
from squall.documents import Document
from squall.errors import SquallError, UsageError, is_weather, no_attribute, shown, suggestion
from squall.worlds.events.dispatch import Dispatch, Event, Listener
from squall.worlds.events.late import Late
from squall.worlds.file import loading
from squall.worlds.file.loading import Loaded
from squall.worlds.file.spec import WorldSpec
from squall.worlds.services.operations import Operation
from squall.worlds.shadows import saying
from squall.worlds.tables.diffs import Diff, Snapshot, compare
from squall.worlds.tables.ledger import Effect, Ledger
from squall.worlds.tables.table import Table
from squall.worlds.tables.transaction import Begin, Journal, Past, Transaction

__tracebackhide__ = is_weather

YIELDING = frozenset({"events"})
"""Members of a world that leave their name to a record that has it."""


Value = TypeVar("Value")


class UnknownOperation(SquallError, LookupError):
    """A call of a tool that the world does not have."""


class World:
    """Fake services with state.

    A table is `world.order`, by its plural `world.orders`, and always `world["service.record"]`. What this class itself
    has (`ledger`, `snapshot`, `name`, …) comes first: a record of such a name is reached as `world["ledger"]`.
    """

    def __init__(self, loaded: Loaded, *, seed: int | None = None, clock: Clock | None = None) -> None:
        _made_from(loaded, seed, clock)
        self._said: set[str] = set()
        self.spec: WorldSpec = loaded.spec
        self.document: Document = loaded.document
        self.digest: str = loaded.digest
        path = loaded.document.path
        self.name: str = loaded.spec.name or (path.stem if path is not None else loaded.document.name)
        self.seed: int = loaded.spec.seed if seed is None else seed
        self.clock: Clock = VirtualClock() if clock is None else clock
        self.volatile: tuple[str, ...] = loaded.volatile
        self.idempotency_fields: tuple[str, ...] = loaded.idempotency_fields
        self.operations: Mapping[str, Operation] = loaded.operations
        self._short = loaded.short
        self._late = Late(self.clock)
        listeners = {
            event: tuple(Listener(each.name, partial(each.run, self), each.is_async) for each in heard)
            for event, heard in loaded.listeners.items()
        }
        self.journal = Journal(self.clock, Dispatch(self.clock, self._late, loaded.events, listeners))
        known = _Existing(self)
        bases = loaded.seeded(self.seed, getattr(self.clock, "start", START))
        self.tables: Mapping[str, Table] = MappingProxyType(
            {name: Table(base, self.journal, known) for name, base in bases.items()}
        )
        for shadowed, meant in loaded.shadowed(World):
            if shadowed in YIELDING and len(meant) == 1:
                self.__dict__[shadowed] = self.tables[meant[0]]
            elif isinstance(getattr(World, shadowed, None), property):
                self._said.add(shadowed)
            else:
                self.__dict__[shadowed] = saying(getattr(self, shadowed), shadowed)

    @classmethod
    def load(
        cls, path: str | Path, *, seed: int | None = None, clock: Clock | None = None, handlers: bool = True
    ) -> World:
        """The world of a file, freshly seeded. Runs the code of its handlers' modules; `handlers=False` refuses to.

        Raises UsageError with everything that is wrong with the file.
        """
        return cls(loading.load(path, handlers=handlers), seed=seed, clock=clock)

    @classmethod
    def parse(
        cls, document: Document, *, seed: int | None = None, clock: Clock | None = None, handlers: bool = True
    ) -> World:
        """The world of a document that is already read."""
        return cls(loading.understand(document, handlers=handlers), seed=seed, clock=clock)

    # state

    @property
    def revision(self) -> int:
        """0 after seeding, one more per committed write."""
        return self._shown("revision", self.journal.revision)

    @property
    def ledger(self) -> Ledger:
        """Every committed write, in order."""
        return self.journal.ledger

    @property
    def on_effect(self) -> list[Callable[[Effect], None]]:
        """Functions that are told of each effect once it is committed."""
        return self.journal.listeners

    def snapshot(self) -> Snapshot:
        """All committed rows in their wire form: `{"orders.order": {"1": {"id": "1", …}}}`."""
        return {
            name: {str(key): table.record.wire(row) for key, row in table.committed().items()}
            for name, table in self.tables.items()
        }

    def diff(self, old: Snapshot) -> Diff:
        """What has changed since the snapshot `old`."""
        return compare(old, self.snapshot(), {name: table.record.unquoted for name, table in self.tables.items()})

    # tables

    def __getitem__(self, name: str) -> Table:
        """The table of `service.record`, or of a short name if only one record has it. Raises UsageError."""
        table = self.tables.get(name)
        if table is not None:
            return table
        meant = self._short.get(name, ())
        if len(meant) == 1:
            return self.tables[meant[0]]
        raise UsageError(self._no_table(name, meant))

    def __getattr__(self, name: str) -> Table:
        if name.startswith("_"):
            raise AttributeError(name)
        meant = self._short.get(name, ())
        if len(meant) != 1:
            raise no_attribute(self._no_table(name, meant), name)
        table = self.tables[meant[0]]
        self.__dict__[name] = table  # the next look-up is a plain one
        return table

    def _shown(self, name: str, value: Value) -> Value:
        """A property that changes, with the hint where a record has its name."""
        shown: Value = saying(value, name) if name in self._said else value
        return shown

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name, meant in self._short.items() if len(meant) == 1)})

    def __repr__(self) -> str:
        return f"<world {self.name}: {', '.join(self.tables)}; seed {self.seed}, revision {self.revision}>"

    def _no_table(self, name: object, meant: tuple[str, ...]) -> str:
        if meant:
            ways = " or ".join(f"world[{full!r}]" for full in meant)
            return f"{name!r} may mean {' or '.join(meant)}: write {ways}"
        known = f"it has {', '.join(self.tables) or 'none'}"
        tail = suggestion(name, [*self._short, *self.tables], known)
        return f"the world {self.name!r} has no table {shown(name)}; {tail}"

    # events

    def events(self, name: str | None = None) -> list[Event]:
        """The events that were delivered, or those called `name`, in order; one that came twice is there twice.

        In a world with a record `event` this name is its table: use `squall.worlds.events_of(world, name)` there.
        """
        return events_of(self, name)

    # calls

    def call(self, tool: str, args: Mapping[str, Any], *, ref: CallRef | None = None, commit: bool = True) -> Any:
        """Runs an operation and returns its JSON-ready answer; of an async operation, an awaitable of it.

        Raises `call.Refused` when the operation says no (its `__cause__` is the handler's exception). Anything else
        that is raised is a bug of the handler. `commit=False` is a dry run: the same answer, but nothing of it stays.
        """
        operation = self.operations.get(tool) or self._operation(tool)
        return operation.run(self, args, partial(Transaction, self.journal, ref, keep=commit))

    def as_of(self, writes: int, tool: str, args: Mapping[str, Any]) -> Any:
        """As a dry run of `call`, in a world that does not know of the latest `writes` writes."""
        operation = self._operation(tool)
        begin = partial(Transaction, self.journal, None, keep=False)
        if operation.is_async:
            return self._aas_of(writes, operation, args, begin)
        with Past(self.journal, writes):
            return operation.run(self, args, begin)

    async def _aas_of(self, writes: int, operation: Operation, args: Mapping[str, Any], begin: Begin) -> Any:
        with Past(self.journal, writes):
            return await operation.run(self, args, begin)

    def _operation(self, tool: str) -> Operation:
        operation = self.operations.get(tool)
        if operation is None:
            tail = suggestion(tool, self.operations, f"there are {', '.join(self.operations) or 'none'}")
            raise UnknownOperation(f"the world {self.name!r} has no tool {tool!r}; {tail}")
        return operation

    def age_of(self, tool: str, args: Mapping[str, Any]) -> float | None:
        """Seconds since the first datetime of the row that a call is about; None if it is about none."""
        operation = self.operations.get(tool)
        for argument, record in operation.addresses if operation is not None else ():
            key = args.get(argument)
            row = self.tables[record].get(key) if isinstance(key, str | int) else None
            moment = row[self.tables[record].record.dated or ""] if row is not None else None
            if moment is not None:
                return float((self.clock.now() - moment).total_seconds())
        return None

    @property
    def settling(self) -> bool:
        """Whether what lands now does so because `settle` was called."""
        return self._shown("settling", self._late.settling)

    def later(self, seconds: float, thunk: Callable[[], Any]) -> None:
        """Calls `thunk` in so many seconds of the clock, whatever becomes of the call that asked for it."""
        self._late.add(seconds, thunk)

    def settle(self) -> None:
        """Lets everything land now that `later` still holds, in order of time.

        Raises `dispatch.ListenerFailed` if a listener failed since the last time.
        """
        self._late.settle()
        self.journal.dispatch.check()


def _made_from(loaded: object, seed: object, clock: object) -> None:
    """Whether a world can be made of these. Raises UsageError that says of what."""
    if not isinstance(loaded, Loaded):
        raise UsageError(f"World({shown(loaded)}) makes no world of a file: write World.load({shown(loaded)})")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise UsageError(f"a world's seed is a whole number, not {shown(seed)}")
    if clock is not None and not hasattr(clock, "elapsed"):
        raise UsageError(f"a world's clock is one of squall.clock, VirtualClock() for example, not {shown(clock)}")


def events_of(world: World, name: str | None = None) -> list[Event]:
    """`world.events(name)`, in any world."""
    known = world.journal.dispatch.targets
    if name is not None and name not in known:
        tail = suggestion(name, known, f"there are {', '.join(known) or 'none'}")
        raise UsageError(f"nothing in the world {world.name!r} emits {name!r}; {tail}")
    return [event for event in world.journal.dispatch.delivered if name in (None, event.name)]


class _Existing:
    """Which rows exist, as `types.Rows` asks it."""

    def __init__(self, world: World) -> None:
        self._world = world

    def has(self, target: str, key: Any) -> bool:
        return self._world.tables[target].stored(key) is not None

    def near(self, target: str, key: Any) -> str | None:
        return self._world.tables[target].near(key)
