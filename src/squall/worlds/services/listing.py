"""What the kind `list` does: filters, order, pages, and reads of some time ago.

Without pages the answer is an array of rows. With `page_size` it is an object: the rows under their plural, and
`next_cursor`, null on the last page. Knows tables; nothing of tools, faults or recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from squall.worlds.fields.types import EnumType, StrType
from squall.worlds.file.plans import OperationPlan
from squall.worlds.naming import plural
from squall.worlds.services import nesting, paging
from squall.worlds.services.filters import Filter
from squall.worlds.services.paging import Pages, Spot
from squall.worlds.services.params import Arguments, Converter, Param
from squall.worlds.tables.records import Record
from squall.worlds.tables.rows import Stored
from squall.worlds.tables.table import Table
from squall.worlds.tables.transaction import Begin

if TYPE_CHECKING:
    from squall.worlds.world import World

SORT = "sort"
CURSOR = "cursor"
NEXT = "next_cursor"


class Listing:
    """One operation of kind `list`, compiled."""

    def __init__(self, plan: OperationPlan, record: Record) -> None:
        self._record = record
        self._filters = {each.argument: each for each in plan.filters}
        self._orders = {text: paging.order(record, text) for text in plan.sort}
        self._pages = None if plan.page_size is None else Pages(plan.tool, record, plan.page_size)
        self._rows = plural(record.short)
        self._lag = plan.lag
        self._children = plan.include
        self._write = nesting.writer(record, plan.include)
        converters: dict[str, Converter | None] = {name: each.kind for name, each in self._filters.items()}
        params = [each.param for each in plan.filters]
        if plan.sort:
            converters[SORT] = choice = EnumType("enum", members=plan.sort)
            params.append(Param(SORT, required=False, schema=choice.schema(), description=_sorts(plan.sort)))
        if self._pages:
            converters[CURSOR] = text = StrType("str?", optional=True)
            words = f"{NEXT} of the page before; leave it out for the first page"
            params.append(Param(CURSOR, required=False, schema=text.schema(), description=words))
        self.params = tuple(params)
        self._arguments = Arguments(self.params, converters)

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the answer."""
        rows = {"type": "array", "items": nesting.schema(self._record, self._children)}
        if self._pages is None:
            return rows
        return {"type": "object", "properties": {self._rows: rows, NEXT: {"type": ["string", "null"]}}}

    @property
    def returns(self) -> tuple[str, ...]:
        """The names of the fields of a row, or of a page."""
        inside = (child.key for child in self._children)
        return (*self._record.fields, *inside) if self._pages is None else (self._rows, NEXT)

    @property
    def empty(self) -> Any:
        """The answer when there is no row."""
        return [] if self._pages is None else {self._rows: [], NEXT: None}

    def run(self, world: World, args: Mapping[str, Any], _begin: Begin) -> Any:
        """The answer to one call."""
        given = self._arguments.converted(args) if args else {}
        if not self._lag:
            return self._answer(world, given)
        with world.journal.lagging(self._lag):
            return self._answer(world, given)

    def _answer(self, world: World, given: Mapping[str, Any]) -> Any:
        table = world.tables[self._record.name]
        by = self._orders.get(given.get(SORT, ""))
        rows = self._found(table, given)
        if self._pages is None:
            return [self._write(world, row) for row in paging.first(rows, by, None)]
        if given.get(CURSOR) is not None:
            spot = self._pages.spot(given[CURSOR], given, by)
            rows = paging.after(rows, by, spot, lambda row: table.place(row["id"]))
        page = paging.first(rows, by, self._pages.size + 1)
        more = len(page) > self._pages.size
        page = page[: self._pages.size]
        ended = self._pages.cursor(given, by, Spot(table.place(page[-1]["id"]), page[-1])) if more else None
        return {self._rows: [self._write(world, row) for row in page], NEXT: ended}

    def _found(self, table: Table, given: Mapping[str, Any]) -> Iterable[Stored]:
        """The rows that pass the filters, in table order."""
        wanted = [(each, given[name]) for name, each in self._filters.items() if name in given]
        equal = {each.field: value for each, value in wanted if each.operator is None}
        tests = [(each, value) for each, value in wanted if each.operator is not None]
        among = {each.field: value for each, value in tests if each.operator == "in"}
        rows = table.select_stored(equal, among)
        return (row for row in rows if _passes(row, tests)) if tests else rows


def _passes(row: Stored, tests: list[tuple[Filter, Any]]) -> bool:
    return all(each.keeps(row, value) for each, value in tests)


def _sorts(texts: tuple[str, ...]) -> str:
    falling = any(text.startswith("-") for text in texts)
    return "the field to sort by" + ("; with - the largest or latest comes first" if falling else "")
