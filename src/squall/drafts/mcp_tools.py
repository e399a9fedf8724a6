"""A world drafted from the tools that an MCP server lists: those about one thing share a record.

A record's fields come from what its tools answer with, else from what they take. The rest of the tools wait for a
handler. Knows no server: it is given the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from squall.drafts import names
from squall.drafts.defaults import defaults
from squall.drafts.draft import CustomDraft, Draft, FieldDraft, OperationDraft, RecordDraft, is_plain
from squall.drafts.fields import Fields
from squall.drafts.handlers import arguments
from squall.drafts.listing import SORT, comparison, orders
from squall.drafts.schemas import Loc, Schemas, Shape
from squall.drafts.tools import PAGING, Tool, understood
from squall.errors import Position

_MAKERS = frozenset(("get", "list", "create"))


def from_tools(tools: Sequence[Mapping[str, Any]], *, name: str, source: str) -> Draft:
    """The draft of a world called `name` with one service that serves `tools`, each as the protocol lists it."""

    def at(loc: Loc) -> Position:
        return Position(f"{source}: tool {str(tools[int(loc[0])].get('name'))!r}" if loc else source)

    schemas = Schemas(tools, at, base=2)
    seen: dict[str, Tool] = {}
    for position, given in enumerate(tools):
        tool = understood(position, given, schemas)
        seen.setdefault(tool.name, tool)
    return _Drafting(list(seen.values()), schemas, Draft(names.snake(name, "world"), source)).draft


class _Drafting:
    def __init__(self, tools: list[Tool], schemas: Schemas, draft: Draft) -> None:
        self.draft = draft
        self._schemas = schemas
        self._service = draft.name
        self._names = names.Taken()
        groups: dict[str, list[Tool]] = {}
        for tool in tools:
            groups.setdefault(tool.noun if tool.kind else "", []).append(tool)
        about = {noun: group for noun, group in groups.items() if noun and {tool.kind for tool in group} & _MAKERS}
        service = draft.service(self._service)
        service.records = {noun: self._record(noun, group) for noun, group in about.items()}
        fields = Fields(schemas, {}, service.records.values())
        for noun, group in about.items():
            self._fill(service.records[noun], group, fields)
        for tool in tools:
            self._tool(tool, service.records.get(tool.noun) if tool.kind else None)

    def _record(self, noun: str, group: list[Tool]) -> RecordDraft:
        """The record of the tools about one thing, with its id: the kind of ids is wanted before any reference."""
        record = RecordDraft(self._service, noun)
        for shape, key in self._sources(noun, group):
            if key is not None and self._schemas.shape(shape.properties[key]).kind == "integer":
                record.key = "int"
                break
        record.fields["id"] = FieldDraft(record.key)
        return record

    def _sources(self, noun: str, group: list[Tool]) -> Iterable[tuple[Shape, str | None]]:
        """The schemas that tell of a record, the best first, each with the name of its id there."""
        for kind in ("get", "list", "create", "update"):
            for tool in group:
                shape = tool.row(self._schemas) if tool.kind == kind else None
                if shape is not None:
                    own = (name for name in shape.properties if "_".join(names.words(name)) in ("id", f"{noun}_id"))
                    yield shape, next(own, None)
        for tool in group:
            if tool.kind in ("create", "update", "get", "delete"):
                yield tool.inputs, tool.id_argument

    def _fill(self, record: RecordDraft, group: list[Tool], fields: Fields) -> None:
        untyped = RecordDraft(record.service, record.name)  # fields of which their name alone is told
        for shape, key in self._sources(record.name, group):
            for name, node in shape.properties.items():
                if name == key:
                    continue
                target = record if self._schemas.shape(node).kind != "any" else untyped
                fields.add(target, name, node, required=name in shape.required, trail=(shape.loc,))
        for name, drafted in untyped.fields.items():
            record.fields.setdefault(name, drafted)
        if len(record.fields) == 1:
            self._fill_from_filters(record, group, fields)

    def _fill_from_filters(self, record: RecordDraft, group: list[Tool], fields: Fields) -> None:
        """The fields by which rows are listed, where nothing else tells of any."""
        for tool in group:
            for name, node in tool.inputs.properties.items() if tool.kind == "list" else ():
                if "_".join(names.words(name)) not in PAGING:
                    fields.add(record, name, node, required=False, trail=(tool.inputs.loc,))
        told = "the server does not tell the fields" if len(record.fields) == 1 else "only what it is listed by is told"
        record.notes.append(f"{told}; add what there is")

    def _tool(self, tool: Tool, record: RecordDraft | None) -> None:
        service = self.draft.service(self._service)
        name = self._names.take(names.field(tool.name))
        if tool.kind is None or record is None or not _can_list(tool, record):
            given = [(one, node, one in tool.inputs.required) for one, node in tool.inputs.properties.items()]
            service.customs[name] = CustomDraft(
                f"tool {tool.name}", arguments(self._schemas, given), tool.description, reads=tool.reads
            )
            return
        taken = {given: names.field(given) for given in tool.inputs.properties if given != tool.id_argument}
        known = {given: field for given, field in taken.items() if field in record.fields}
        more = [given for given in taken if tool.kind in ("get", "delete") or given not in known]
        plain = [field for field in known.values() if is_plain(record.fields[field])]
        told = [f"called {tool.name!r} in the original"] if name != tool.name else []
        if tool.id_argument and tool.id_argument != "id":
            told.append(f"its id is called {tool.id_argument!r} in the original")
        filters: tuple[str, ...] = ()
        sort: tuple[str, ...] = ()
        if tool.kind == "list":
            inputs = {given: node for given, node in tool.inputs.properties.items() if given in more}
            compared = {given: comparison(self._schemas, record, given, node) for given, node in inputs.items()}
            sort = next((by for one in inputs.items() if (by := orders(self._schemas, record, *one))), ())
            filters = (*plain, *filter(None, compared.values()))
            more = [given for given in more if not compared[given] and not (sort and given == SORT)]
            more += [given for given, field in known.items() if field not in plain]
        if more:
            told.append(f"the original also takes {', '.join(more)}")
        required: tuple[str, ...] = ()
        begins: Mapping[str, Any] = {}
        if tool.kind == "create":
            required = tuple(field for given, field in known.items() if given in tool.inputs.required and field != "id")
            optional = {given: field for given, field in known.items() if field not in required}
            sent = ((field, tool.inputs.properties[given]) for given, field in optional.items())
            begins = defaults(self._schemas, sent, record)
        service.operations[name] = OperationDraft(
            tool.kind, record.name, filters, required, tool.description, tuple(told), begins, sort
        )


def _can_list(tool: Tool, record: RecordDraft) -> bool:
    """Whether all that a listing tool asks for are fields that rows can be listed by."""
    fields = record.fields
    asked = [names.field(given) for given in tool.inputs.required] if tool.kind == "list" else []
    return all(field in fields and is_plain(fields[field]) for field in asked)
