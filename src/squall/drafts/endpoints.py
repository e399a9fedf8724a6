"""The paths of an OpenAPI document as endpoints: method, path, parameters, what is sent and what is answered.

The same for OpenAPI 3 and Swagger 2. Knows no record: which endpoints belong to one is found by `resources`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from squall.drafts import names
from squall.drafts.schemas import Loc, Node, Schemas

METHODS = ("get", "post", "put", "patch", "delete")
_SUCCESS = ("200", "201", "202", "203", "2XX", "2xx", "default")
_NO_NAME = frozenset(("api", "apis", "rest", "public"))


class Parameter(NamedTuple):
    """One parameter of a path, of its query or of a form."""

    name: str
    where: str
    schema: Node
    required: bool


@dataclass(frozen=True, eq=False)
class Endpoint:
    """One method of one path. `segments` are the path's parts, `{}` for each parameter."""

    method: str
    path: str
    loc: Loc
    segments: tuple[str, ...]
    tag: str | None
    operation_id: str | None
    summary: str | None
    parameters: tuple[Parameter, ...]
    body: Node | None
    answer: Node | None

    @property
    def origin(self) -> str:
        """How people call it."""
        return f"{self.method.upper()} {self.path}"

    @property
    def path_names(self) -> tuple[str, ...]:
        """The names of the parameters in the path, in order."""
        return tuple(part.strip("{}") for part in self.path.split("/") if part.startswith("{"))

    @property
    def query(self) -> tuple[Parameter, ...]:
        """The parameters of the query."""
        return tuple(parameter for parameter in self.parameters if parameter.where == "query")


def endpoints(data: Mapping[str, Any], schemas: Schemas) -> Iterator[Endpoint]:
    """All endpoints of the document, in its order."""
    paths = data.get("paths")
    for path, item in (paths if isinstance(paths, Mapping) else {}).items():
        node = schemas.resolve(Node(item, ("paths", path)))
        if not isinstance(node.schema, Mapping) or not path.startswith("/"):
            continue
        shared = _parameters(node, schemas)
        for method in METHODS:
            if isinstance(node.schema.get(method), Mapping):
                yield _endpoint(method, path, Node(node.schema[method], (*node.loc, method)), shared, schemas)


def _endpoint(method: str, path: str, node: Node, shared: Mapping[Any, Parameter], schemas: Schemas) -> Endpoint:
    given = node.schema
    schemas.spend(len(shared), node.loc)
    own = {**shared, **_parameters(node, schemas)}
    tags = given.get("tags")
    operation_id = given.get("operationId")
    parts = [part for part in path.split("/") if part]
    return Endpoint(
        method=method,
        path=path,
        loc=node.loc,
        segments=tuple("{}" if part.startswith("{") else part for part in parts),
        tag=tags[0] if isinstance(tags, list) and tags and isinstance(tags[0], str) else None,
        operation_id=operation_id if isinstance(operation_id, str) else None,
        summary=_summary(given),
        parameters=tuple(one for one in own.values() if one.where != "body"),
        body=_body(node, own, schemas),
        answer=_answer(node, schemas),
    )


def place(segments: tuple[str, ...]) -> tuple[str, ...]:
    """The fixed parts of a path that name something: without what comes first in every path (`api`, `v1`)."""
    fixed = [part for part in segments if part != "{}"]
    while len(fixed) > 1 and (fixed[0].lower() in _NO_NAME or _is_version(fixed[0])):
        del fixed[0]
    return tuple(fixed)


def _is_version(part: str) -> bool:
    return part[:1] in "vV" and part[1:].replace(".", "").isdigit()


def service_of(endpoint: Endpoint) -> str:
    """The service that an endpoint belongs to: its first tag, else where its path begins."""
    fixed = place(endpoint.segments)
    return names.snake(endpoint.tag or (fixed[0] if fixed else ""), "service")


def _summary(given: Mapping[str, Any]) -> str | None:
    for key in ("summary", "description"):
        text = given.get(key)
        if isinstance(text, str) and text.strip():
            return text.strip().splitlines()[0]
    return None


def _parameters(node: Node, schemas: Schemas) -> dict[tuple[str, str], Parameter]:
    found = {}
    listed = node.schema.get("parameters")
    schemas.spend(1 + (len(listed) if isinstance(listed, list) else 0), node.loc)
    for position, given in enumerate(listed if isinstance(listed, list) else ()):
        one = schemas.resolve(Node(given, (*node.loc, "parameters", position)))
        if not isinstance(one.schema, Mapping):
            continue
        name, where = one.schema.get("name"), one.schema.get("in")
        if isinstance(name, str) and where in ("path", "query", "formData", "body"):
            schema = one if "schema" not in one.schema else Node(one.schema["schema"], (*one.loc, "schema"))
            found[name, where] = Parameter(name, where, schema, one.schema.get("required") is True)
    return found


def _body(node: Node, parameters: Mapping[Any, Parameter], schemas: Schemas) -> Node | None:
    for parameter in parameters.values():
        if parameter.where == "body":
            return parameter.schema
    if "requestBody" not in node.schema:
        return None
    return _content(schemas.resolve(Node(node.schema["requestBody"], (*node.loc, "requestBody"))))


def _answer(node: Node, schemas: Schemas) -> Node | None:
    responses = node.schema.get("responses")
    for status in _SUCCESS:
        if not isinstance(responses, Mapping) or status not in responses:
            continue
        response = schemas.resolve(Node(responses[status], (*node.loc, "responses", status)))
        if isinstance(response.schema, Mapping) and "schema" in response.schema:
            return Node(response.schema["schema"], (*response.loc, "schema"))
        found = _content(response)
        if found is not None:
            return found
    return None


def _content(node: Node) -> Node | None:
    """The schema of a body: the one for JSON, or the first."""
    content = node.schema.get("content") if isinstance(node.schema, Mapping) else None
    if not isinstance(content, Mapping):
        return None
    for media in sorted(content, key=lambda name: "json" not in name):
        if isinstance(content[media], Mapping) and "schema" in content[media]:
            return Node(content[media]["schema"], (*node.loc, "content", media, "schema"))
    return None
