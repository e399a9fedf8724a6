"""A world drafted from an OpenAPI document: its schemas become records, its CRUD paths their operations.

What is no such path is left as an operation that waits for a handler. Knows no file and no network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from squall.documents import Document
from squall.drafts import names
from squall.drafts.defaults import defaults
from squall.drafts.draft import CustomDraft, Draft, Kind, OperationDraft, RecordDraft, is_plain
from squall.drafts.endpoints import Endpoint, endpoints, place, service_of
from squall.drafts.fields import Fields
from squall.drafts.handlers import arguments
from squall.drafts.listing import SORT, comparison, orders
from squall.drafts.reading import check_version
from squall.drafts.resources import Resource, find
from squall.drafts.schemas import Loc, Node, Schemas, Shape
from squall.worlds.naming import plural

_DECORATION = frozenset("details dto entity model object out output read resource response schema".split())


def from_openapi(document: Document, *, name: str | None = None) -> Draft:
    """The draft of what `document` describes. Raises UsageError where the document is wrong or refers to nothing."""
    check_version(document)
    return _Drafting(document, name).draft


class _Drafting:
    def __init__(self, document: Document, name: str | None) -> None:
        info = document.data.get("info")
        title = info.get("title") if isinstance(info, dict) and isinstance(info.get("title"), str) else ""
        stem = PurePath(document.name).stem
        file = PurePath(document.name).name
        called = name or names.snake(title or stem, "world")
        self.draft = Draft(called, f"{file} ({title})" if title else file)
        self._schemas = Schemas(document.data, document.at)
        self._data = document.data
        self._records: dict[Loc, RecordDraft] = {}
        self._shapes: dict[Loc, Shape] = {}
        self._taken = names.Taken()
        self._tools = names.Taken()
        self._fields: dict[str, dict[str, str]] = {}

        found = list(endpoints(document.data, self._schemas))
        resources, others = find(found, self._schemas)
        resources.sort(key=lambda one: len(one.segments))  # plain names go to what stands nearest to the root
        keys = [(self._record(resource), resource) for resource in resources]
        if not found:
            self._components()
        else:
            self._named()
        fields = Fields(self._schemas, self._records, self._records.values())
        keys_of: dict[str, list[str]] = {}
        for record, resource in keys:
            keys_of.setdefault(record.full, []).extend(resource.keys)
        for loc, record in self._records.items():
            fields.identify(record, self._shapes[loc], (*keys_of.get(record.full, ()), f"{record.name}_id"))
        for loc, record in self._records.items():
            fields.fill(record, self._shapes[loc])
        for record, resource in keys:
            for endpoint, kind in resource.kinds.items():
                self._operation(endpoint, kind, record)
        for endpoint in others:
            self._custom(endpoint)

    def _record(self, resource: Resource) -> RecordDraft:
        """The record of a resource; that of another one if both have one schema."""
        loc = resource_loc(resource)
        component = _component(loc)
        wanted = [resource.name]
        if component is not None:
            plain = _undecorated(component)
            said = {*names.words(component), names.singular(plain.rpartition("_")[2])}
            wanted = [resource.name, plain] if said >= set(names.words(resource.name)) else [plain]
            wanted.append(names.snake(component, "record"))
        assert resource.shape is not None  # noqa: S101 - a resource without one is none
        return self._add(resource.shape, wanted, service_of(next(iter(resource.kinds))))

    def _add(self, shape: Shape, wanted: list[str], service: str) -> RecordDraft:
        if shape.loc not in self._records:
            free = [name for name in wanted if name not in self._taken]
            name = self._taken.take(free[0] if free else wanted[-1])
            record = RecordDraft(service, name, aliases=tuple(wanted))
            self.draft.service(service).records[name] = record
            self._records[shape.loc] = record
            self._shapes[shape.loc] = shape
        return self._records[shape.loc]

    def _objects(self) -> Iterable[tuple[str, Shape]]:
        """The components that are objects and no records yet."""
        holder: tuple[str, ...] = ("components", "schemas") if "openapi" in self._data else ("definitions",)
        listed: Any = self._data
        for part in holder:
            listed = listed.get(part) if isinstance(listed, dict) else None
        for component, schema in listed.items() if isinstance(listed, dict) else ():
            shape = self._schemas.shape(Node(schema, (*holder, component)))
            if shape.is_object and shape.loc not in self._records:
                yield component, shape

    def _components(self) -> None:
        """Records of a document without paths: all objects with an id, or where there is none, all objects."""
        found = list(self._objects())
        for component, shape in [one for one in found if "id" in one[1].properties] or found:
            self._add(shape, [_undecorated(component), names.snake(component, "record")], names.snake(self.draft.name))

    def _named(self) -> None:
        """Records that have no path, and that a field of another such as `customerId` names."""
        about: dict[str, str] = {}
        for loc, record in self._records.items():
            for name in self._shapes[loc].properties:
                about.setdefault(names.subject(name) or "", record.service)
        for component, shape in list(self._objects()):
            name = _undecorated(component)
            if name in about and name not in self._taken and "id" in shape.properties:
                self._add(shape, [name], about[name])

    def _operation(self, endpoint: Endpoint, kind: Kind, record: RecordDraft) -> None:
        otherwise = f"list_{plural(record.name)}" if kind == "list" else f"{kind}_{record.name}"
        name = self._tool(endpoint, otherwise)
        filters: list[str] = []
        sort: tuple[str, ...] = ()
        required: list[str] = []
        begins: Mapping[str, Any] = {}
        more: list[str] = []
        if kind == "list":
            schemas = {parameter.name: parameter.schema for parameter in endpoint.query}
            for given in (*endpoint.path_names, *schemas):
                field = self._field(record, given, plain=True)
                if not field and given in schemas:
                    field = comparison(self._schemas, record, given, schemas[given])
                    sort = sort or orders(self._schemas, record, given, schemas[given])
                if not (sort and given == SORT):
                    (filters.append(field) if field and field not in filters else more.append(given))
        elif kind == "create" and endpoint.body is not None:
            sent = self._schemas.shape(endpoint.body)
            known = {given: self._field(record, given) for given in sent.properties if given != record.id_was}
            required = [field for given, field in known.items() if field and field != "id" and given in sent.required]
            more = [given for given, field in known.items() if not field]
            said = [(field, sent.properties[given]) for given, field in known.items() if field]
            said += self._own_fields(record)  # of a field that is not sent the service says what it begins with
            begins = defaults(self._schemas, (one for one in said if one[0] not in required), record)
        service = service_of(endpoint)
        self.draft.service(service).operations[name] = OperationDraft(
            kind,
            record.name if service == record.service else record.full,
            tuple(filters),
            tuple(dict.fromkeys(required)),
            endpoint.summary,
            (f"the original also takes {', '.join(more)}",) if more else (),
            begins,
            sort,
        )

    def _own_fields(self, record: RecordDraft) -> Iterable[tuple[str, Node]]:
        """The fields of a record, each with the schema that it comes from."""
        shape = next(self._shapes[loc] for loc, one in self._records.items() if one is record)
        for given, node in shape.properties.items():
            field = self._field(record, given)
            if field:
                yield field, node

    def _custom(self, endpoint: Endpoint) -> None:
        given = [(one.name, one.schema, one.required or one.where == "path") for one in endpoint.parameters]
        if endpoint.body is not None:
            sent = self._schemas.shape(endpoint.body)
            if sent.is_object:
                self._schemas.spend(len(sent.properties), sent.loc)
                given += [(name, node, name in sent.required) for name, node in sent.properties.items()]
            else:
                given.append(("body", endpoint.body, True))
        name = self._tool(endpoint, names.snake(f"{endpoint.method} {' '.join(place(endpoint.segments))}", "custom"))
        self.draft.service(service_of(endpoint)).customs[name] = CustomDraft(
            endpoint.origin, arguments(self._schemas, given), endpoint.summary, reads=endpoint.method == "get"
        )

    def _tool(self, endpoint: Endpoint, otherwise: str) -> str:
        """What agents call the operation: as the document does, where it says so."""
        return self._tools.take(names.snake(endpoint.operation_id or otherwise, "do"))

    def _field(self, record: RecordDraft, given: str, *, plain: bool = False) -> str | None:
        """The field that a parameter is about: of the same name, or a reference that it gives the id of."""
        if record.full not in self._fields:
            self._fields[record.full] = {"_".join(names.words(name)): name for name in record.fields}
        known = self._fields[record.full]
        name = known.get("_".join(names.words(given))) or known.get(names.subject(given) or "")
        return name if name and (not plain or is_plain(record.fields[name])) else None


def resource_loc(resource: Resource) -> Loc:
    """Where the schema of a resource stands."""
    return resource.shape.loc if resource.shape else ()


def _component(loc: Loc) -> str | None:
    is_one = loc[:-1] in (("components", "schemas"), ("definitions",))
    return str(loc[-1]) if is_one else None


def _undecorated(component: str) -> str:
    """The name of a schema without what says that it is one: `OrderResponse` is an order."""
    said = names.words(component)
    while len(said) > 1 and said[-1] in _DECORATION:
        said.pop()
    return names.snake("_".join(said), "record")
