"""Worlds: sets of stateful fake services, declared in a file, held in tables, and the properties of their end state.

`World.load(path)` reads and seeds one. No protocol, and no I/O but loading its file.
"""

from __future__ import annotations

from squall.worlds.diffs import Diff
from squall.worlds.dispatch import Event
from squall.worlds.ledger import Effect, Ledger
from squall.worlds.operations import Operation
from squall.worlds.params import Param
from squall.worlds.properties import at_most_once, conserved, exactly_once, no_orphans, unchanged
from squall.worlds.refusals import InvalidRow, NoSuchRow
from squall.worlds.rows import Row
from squall.worlds.spec import WorldSpec
from squall.worlds.table import Table
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
