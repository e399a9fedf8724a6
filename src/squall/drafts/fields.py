"""The fields of records: each schema's type in a world, references to other records, nested mappings.

Knows which records there are, and nothing of paths and tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from squall.drafts import names
from squall.drafts.draft import Declared, FieldDraft, RecordDraft
from squall.drafts.scalars import scalar
from squall.drafts.schemas import Loc, Node, Schemas, Shape

MAX_NESTED = 3
"""How deep mappings stand in each other; what is deeper is left a text."""
MAX_NOTES = 3
FIELD = 100  # characters of a type that count as one more field
_ROLES = frozenset("assignee author buyer creator member owner parent recipient seller sender".split())
_IS_ID = re.compile(r"\b(?:id|ids|identifier|identifiers|uuid)\b", re.IGNORECASE)


class Fields:
    """Types the schemas of one document. `known` are records by where their schema stands, `records` all there are."""

    def __init__(self, schemas: Schemas, known: Mapping[Loc, RecordDraft], records: Iterable[RecordDraft]) -> None:
        self._schemas = schemas
        self._known = known
        self._named: dict[str, list[RecordDraft]] = {}
        for record in records:
            for name in dict.fromkeys((record.name, *record.aliases)):
                self._named.setdefault(name, []).append(record)

    def identify(self, record: RecordDraft, shape: Shape, keys: Iterable[str]) -> None:
        """Find the id of `record` among the fields of `shape`: `id`, else the first of `keys` that there is.

        To be done for all records before any is filled, since references have the type of the id that they hold.
        """
        by_word = {"_".join(names.words(name)): name for name in reversed(list(shape.properties))}
        name = next((by_word[word] for word in ("id", *keys) if word in by_word), None)
        if name is not None:
            record.id_was = name
            record.key = "int" if self._schemas.shape(shape.properties[name]).kind == "integer" else "str"

    def fill(self, record: RecordDraft, shape: Shape) -> None:
        """Give `record` its id and the fields of `shape`."""
        self._schemas.spend(len(shape.properties), shape.loc)
        was = record.id_was
        record.fields["id"] = FieldDraft(record.key, () if was in ("id", None) else (f"{was!r} in the original",))
        for name, node in shape.properties.items():
            if name != was:
                self.add(record, name, node, required=name in shape.required, trail=(shape.loc,))

    def add(self, record: RecordDraft, name: str, node: Node, *, required: bool, trail: tuple[Loc, ...]) -> None:
        """Give `record` one more field, unless it has one of that name."""
        spelled = names.field(name)
        if spelled not in record.fields:
            drafted = self.field(name, node, record, required=required, trail=trail)
            note = () if spelled == name else (f"{name!r} in the original",)
            record.fields[spelled] = drafted._replace(notes=(*note, *drafted.notes))

    def field(
        self, name: str, node: Node, record: RecordDraft, *, required: bool, trail: tuple[Loc, ...]
    ) -> FieldDraft:
        """The type of one field of `record`; `trail` are the schemas that it stands in."""
        shape = self._schemas.shape(node)
        drafted = self._declared(name, shape, record, trail)
        if required and not shape.nullable:
            return drafted
        if isinstance(drafted.declared, str):
            return drafted._replace(declared=f"{drafted.declared}?")
        return drafted._replace(notes=(*drafted.notes, "may be null in the original")) if shape.nullable else drafted

    def _declared(self, name: str, shape: Shape, record: RecordDraft, trail: tuple[Loc, ...]) -> FieldDraft:
        target = self._whole(name, shape, record)
        if target is not None:
            return FieldDraft(f"ref[{target.full}]", (*shape.notes, f"the whole {target.name} in the original"))
        if shape.kind == "array":
            return self._list(name, shape, record, trail)
        if shape.kind == "object":
            return self._nested(shape, record, trail)
        target = self._by_id(name, shape, record)
        if target is not None:
            return FieldDraft(f"ref[{target.full}]", shape.notes)
        word, notes = scalar(shape)
        self._schemas.spend(len(word) // FIELD, shape.loc)
        return FieldDraft(word, (*shape.notes, *notes))

    def _whole(self, name: str, shape: Shape, record: RecordDraft) -> RecordDraft | None:
        """The record that stands here as a whole, where the field's name says that it is a reference."""
        target = self._known.get(shape.loc)
        if target is None or not shape.is_object:
            return None
        said, wanted = names.words(names.singular(names.snake(name))), names.words(target.name)
        shorter = min(len(said), len(wanted))
        is_named = said[-shorter:] == wanted[-shorter:]
        return target if is_named or target is record or said[-1] in _ROLES or said[-1] == "by" else None

    def _by_id(self, name: str, shape: Shape, record: RecordDraft) -> RecordDraft | None:
        """The record whose id this is, as the field's name (and its description) say."""
        about = names.subject(name)
        if about is None and _IS_ID.search(shape.description):
            about = names.singular(names.snake(name))
        meant = self._named.get(about or "", [])
        own = [one for one in meant if one.service == record.service] or [one for one in meant if one.name == about]
        if len(own) != 1 or shape.kind not in ("string", "integer", "any"):
            return None
        fits = shape.kind == "any" or (shape.kind == "integer") == (own[0].key == "int")
        return own[0] if fits and "enum" not in shape.facts else None

    def _list(self, name: str, shape: Shape, record: RecordDraft, trail: tuple[Loc, ...]) -> FieldDraft:
        if shape.items is None:
            return FieldDraft("list[str]", (*shape.notes, "a list of anything in the original"))
        item = self._schemas.shape(shape.items)
        if item.kind == "array":
            return FieldDraft("list[str]", (*shape.notes, "lists in a list in the original"))
        inner = self._declared(name, item, record, trail)
        declared: Declared = f"list[{inner.declared}]" if isinstance(inner.declared, str) else [inner.declared]
        return FieldDraft(declared, (*shape.notes, *inner.notes))

    def _nested(self, shape: Shape, record: RecordDraft, trail: tuple[Loc, ...]) -> FieldDraft:
        if not shape.properties:
            return FieldDraft("str", (*shape.notes, "an object with any fields in the original"))
        if shape.loc in trail:
            return FieldDraft("str", (*shape.notes, "holds itself in the original"))
        if len(trail) > MAX_NESTED:
            return FieldDraft("str", (*shape.notes, "an object in the original"))
        self._schemas.spend(len(shape.properties), shape.loc)
        declared: dict[str, Declared] = {}
        notes: list[str] = list(shape.notes)
        for name, node in shape.properties.items():
            inner = self.field(name, node, record, required=name in shape.required, trail=(*trail, shape.loc))
            declared[name] = inner.declared
            notes += [f"{name}: {note}" for note in inner.notes]
        return FieldDraft(declared, tuple([*notes[:MAX_NOTES], "…"] if len(notes) > MAX_NOTES else notes))
