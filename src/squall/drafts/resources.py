"""Which endpoints answer for one kind of thing: `/orders` and `/orders/{id}`, and the schema of an order.

Knows no record of a world: they are made from this by `openapi`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from squall.drafts import names
from squall.drafts.answers import row, rows
from squall.drafts.draft import Kind
from squall.drafts.endpoints import Endpoint, place
from squall.drafts.schemas import Node, Schemas, Shape


@dataclass
class Resource:
    """A path that lists things, the paths of one of them, and what each endpoint does to them."""

    segments: tuple[str, ...]
    kinds: dict[Endpoint, Kind] = field(default_factory=dict)
    shape: Shape | None = None

    @property
    def name(self) -> str:
        """What one of the things is called by the path."""
        fixed = place(self.segments)
        return names.singular(names.snake(fixed[-1] if fixed else ""))

    @property
    def keys(self) -> tuple[str, ...]:
        """Fields that could be the thing's id, where none is called so."""
        given = [endpoint.path_names[-1] for endpoint in self.kinds if endpoint.segments != self.segments]
        return tuple("_".join(names.words(name)) for name in (*given, f"{self.name}_id"))


def find(all_endpoints: Iterable[Endpoint], schemas: Schemas) -> tuple[list[Resource], list[Endpoint]]:
    """The resources, in the order of their paths, and the endpoints that belong to none."""
    listed = list(all_endpoints)
    holders = {one.segments[:-1] for one in listed if _is_item(one)}
    holders |= {one.segments for one in listed if one.method == "get" and rows(schemas, one.answer) is not None}
    resources: dict[tuple[str, ...], Resource] = {}
    methods: dict[tuple[str, ...], set[str]] = {}
    for endpoint in listed:
        methods.setdefault(endpoint.segments, set()).add(endpoint.method)
    for endpoint in listed:
        segments = endpoint.segments[:-1] if _is_item(endpoint) else endpoint.segments
        resource = resources.setdefault(segments, Resource(segments))
        kind = _kind(endpoint, methods[endpoint.segments], schemas, has_rows=segments in holders)
        if kind is not None:
            resource.kinds[endpoint] = kind
    kept = []
    for resource in resources.values():
        resource.shape = _shape(resource, schemas)
        if resource.shape is not None and _is_worth_a_record(resource, resource.shape):
            kept.append(resource)
    taken = {endpoint for resource in kept for endpoint in resource.kinds}
    return kept, [endpoint for endpoint in listed if endpoint not in taken]


def _is_item(endpoint: Endpoint) -> bool:
    return endpoint.segments[-1:] == ("{}",) and endpoint.segments[-2:-1] not in ((), ("{}",))


def _kind(endpoint: Endpoint, methods: set[str], schemas: Schemas, *, has_rows: bool) -> Kind | None:
    """What an endpoint does to a row, if it is one of the five things."""
    if _is_item(endpoint):
        plain: dict[str, Kind] = {"get": "get", "put": "update", "patch": "update", "delete": "delete"}
        if endpoint.method == "post":
            return "update" if not methods & {"put", "patch"} else None
        if endpoint.method == "get" and _is_array(schemas, endpoint.answer):
            return None
        return plain[endpoint.method]
    if endpoint.segments[-1:] == ("{}",) or not endpoint.segments:
        return None
    if endpoint.method == "get":
        item = rows(schemas, endpoint.answer)
        return "list" if (item is not None and item.is_object) or (endpoint.answer is None and has_rows) else None
    sent = row(schemas, endpoint.body)
    if endpoint.method == "post":
        is_top = "{}" not in endpoint.segments
        is_one = has_rows or (is_top and sent is not None)
        return "create" if is_one and not _is_array(schemas, endpoint.body) else None
    if endpoint.method in ("put", "patch") and sent is not None and "id" in sent.properties:
        return "update"
    return None


def _is_array(schemas: Schemas, node: Node | None) -> bool:
    return node is not None and schemas.shape(node).kind == "array"


def _shape(resource: Resource, schemas: Schemas) -> Shape | None:
    """What one of the things looks like: as it is got, as it is after a write, as it is listed, as it is sent."""
    by_kind: dict[Kind, list[Endpoint]] = {kind: [] for kind in ("get", "update", "create", "list", "delete")}
    for endpoint, kind in resource.kinds.items():
        by_kind[kind].append(endpoint)
    writes = [*by_kind["update"], *by_kind["create"]]
    candidates = [row(schemas, one.answer, resource.name) for one in (*by_kind["get"], *writes)]
    candidates += [rows(schemas, one.answer) for one in by_kind["list"]]
    candidates += [row(schemas, one.body) for one in writes]
    return next((shape for shape in candidates if shape is not None and shape.is_object), None)


def _is_worth_a_record(resource: Resource, shape: Shape) -> bool:
    """Whether a resource is more than one thing to post to, such as `/login`."""
    kinds = set(resource.kinds.values())
    return bool(kinds - {"create", "update"}) or "id" in shape.properties
