"""Worlds: sets of stateful fake services, declared in a file, held in tables, and the properties of their end state.

`World.load(path)` reads and seeds one. No protocol, and no I/O but loading its file.
"""

from __future__ import annotations

from squall.worlds.events.dispatch import Event
from squall.worlds.file.spec import WorldSpec
from squall.worlds.properties import at_most_once, conserved, exactly_once, no_orphans, unchanged
from squall.worlds.services.operations import Operation
from squall.worlds.services.params import Param
from squall.worlds.tables.diffs import Diff
from squall.worlds.tables.ledger import Effect, Ledger
from squall.worlds.tables.refusals import InvalidRow, NoSuchRow
from squall.worlds.tables.rows import Row
from squall.worlds.tables.table import Table
from squall.worlds.world import UnknownOperation, World, events_of

__all__ = [
    "Diff",
    "Effect",
    "Event",
    "InvalidRow",
    "Ledger",
    "NoSuchRow",
    "Operation",
    "Param",
    "Row",
    "Table",
    "UnknownOperation",
    "World",
    "WorldSpec",
    "at_most_once",
    "conserved",
    "events_of",
    "exactly_once",
    "no_orphans",
    "unchanged",
]
