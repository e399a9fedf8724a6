"""One MCP tool, understood: what its name says that it does, to what, and what its schemas say about that.

A tool is taken as the protocol lists it: `name`, `description`, `inputSchema`, `outputSchema`, `annotations`. Knows one
tool at a time; `mcp_tools` puts those together that are about one thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from squall.drafts import names
from squall.drafts.answers import row, rows
from squall.drafts.draft import Kind
from squall.drafts.schemas import Node, Schemas, Shape

VERBS: Mapping[str, Kind] = {
    **dict.fromkeys(("get", "fetch", "read", "retrieve", "show", "lookup", "describe", "view"), "get"),
    **dict.fromkeys(("list", "search", "find", "query"), "list"),
    **dict.fromkeys(("create", "add", "insert", "new", "open", "register"), "create"),
    **dict.fromkeys(("update", "edit", "modify", "change", "patch"), "update"),
    **dict.fromkeys(("delete", "remove", "destroy"), "delete"),
}
PAGING = frozenset(
    "after before count cursor fields include keyword limit max offset order order_by page page_size page_token "
    "per_page q query search skip sort sort_by text".split()
)
"""Arguments of lists that say how to list, not what."""
_RELATIONS = frozenset("and as at by for from in of on or to via with".split())
_READS = ("get", "list")


@dataclass(frozen=True, eq=False)
class Tool:
    """One tool. `kind` is None where it is none of the five things that a record can answer."""

    name: str
    description: str | None
    inputs: Shape
    output: Node | None
    reads: bool
    kind: Kind | None = None
    noun: str = ""
    id_argument: str | None = None

    def row(self, schemas: Schemas) -> Shape | None:
        """The row that it answers with, or of which it answers many; None where its schema does not tell."""
        found = rows(schemas, self.output) if self.kind == "list" else row(schemas, self.output, self.noun)
        return found if found is not None and found.is_object and self.kind != "delete" else None


def understood(position: int, given: Mapping[str, Any], schemas: Schemas) -> Tool:
    """The tool that stands at `position` of a list, as `given` describes it."""
    description, hints = given.get("description"), given.get("annotations")
    read_only = hints.get("readOnlyHint") if isinstance(hints, Mapping) else None
    output = given.get("outputSchema")
    tool = Tool(
        name=str(given.get("name") or "tool"),
        description=description.strip() if isinstance(description, str) and description.strip() else None,
        inputs=schemas.shape(Node(given.get("inputSchema"), (position, "inputSchema"))),
        output=Node(output, (position, "outputSchema")) if isinstance(output, Mapping) else None,
        reads=read_only is True,
    )
    verb, noun = _named(tool.name)
    kind = VERBS.get(verb)
    if kind == "get" and names.singular(noun) != noun and _id_argument(tool, names.singular(noun)) is None:
        kind = "list"
    noun = names.singular(noun)
    if kind is None or not noun or read_only is (kind not in _READS):
        return tool
    named = replace(tool, kind=kind, noun=noun, id_argument=_id_argument(tool, noun))
    return named if _fits(named, schemas) else tool


def _named(name: str) -> tuple[str, str]:
    """The verb and the noun of a name: `get_order`, `orders_get`, `shop.getOrderById`."""
    said = names.words(name)
    place = next((place for place, word in enumerate(said) if word in VERBS), None)
    if place is None:
        return "", ""
    after = said[place + 1 :]
    if after[-2:] in (["by", "id"], ["with", "id"]):
        after = after[:-2]
    about = after or said[:place]
    return said[place], "" if _RELATIONS & set(about) else "_".join(about)


def _id_argument(tool: Tool, noun: str) -> str | None:
    """The argument that says which one."""
    short = noun.rpartition("_")[2]
    wanted = ("id", f"{noun}_id", f"{short}_id", noun, short, "uuid")
    spelled = {"_".join(names.words(name)): name for name in reversed(list(tool.inputs.properties))}
    found = next((spelled[word] for word in wanted if word in spelled), None)
    return found if found in tool.inputs.required else None


def _fits(tool: Tool, schemas: Schemas) -> bool:
    """Whether what a tool takes and answers can be what its name says."""
    if tool.kind == "list":
        if any("_".join(names.words(given)) in PAGING for given in tool.inputs.required):
            return False
        return tool.output is None or _may_list(tool.output, schemas)
    if tool.kind == "create":
        return bool(tool.inputs.properties)
    if tool.id_argument is None:
        return False
    if schemas.shape(Node(*tool.inputs.properties[tool.id_argument])).kind not in ("string", "integer", "any"):
        return False
    return tool.kind == "update" or tool.inputs.required == {tool.id_argument}


def _may_list(output: Node, schemas: Schemas) -> bool:
    """Whether an answer holds rows, or is so loosely described that it could."""
    item = rows(schemas, output)
    if item is not None:
        return item.is_object or item.kind == "any"
    shape = schemas.shape(output)
    inner = [schemas.shape(node) for node in shape.properties.values()]
    return not inner or (len(inner) == 1 and inner[0].kind in ("any", "array"))
