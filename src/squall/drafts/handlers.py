"""The handlers that a draft waits for: their signatures, and a module of stubs.

Knows how handlers are called, not how they are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from squall.drafts import names
from squall.drafts.draft import Argument, CustomDraft, Draft
from squall.drafts.scalars import annotation
from squall.drafts.schemas import Node, Schemas, Shape

WIDTH = 116
_GIVEN = ("world", "clock")
_IMPORTS = (
    ("from datetime import {}", ("date", "datetime")),
    ("from decimal import {}", ("Decimal",)),
    ("from typing import {}", ("Any", "Literal")),
)


def arguments(schemas: Schemas, given: Iterable[tuple[str, Node, bool]]) -> tuple[Argument, ...]:
    """Arguments made from names, schemas and whether they are required; those that are come first."""
    taken = names.Taken(*_GIVEN)
    found = []
    for name, node, required in given:
        shape = schemas.shape(node)
        spelled = taken.take(names.identifier(name))
        is_plain = required and not shape.nullable
        hint = _annotation(schemas, shape) if is_plain else f"{_annotation(schemas, shape)} | None"
        found.append(Argument(spelled, "Any" if hint == "Any | None" else hint, required, name))
    return tuple(sorted(found, key=lambda argument: not argument.required))


def _annotation(schemas: Schemas, shape: Shape) -> str:
    if shape.kind != "array":
        return annotation(shape)
    item = schemas.shape(shape.items) if shape.items is not None else None
    return f"list[{'Any' if item is None or item.kind == 'array' else annotation(item)}]"


def function_name(operation: str) -> str:
    """The handler of an operation."""
    name = names.identifier(operation)
    return f"{name}_" if name in ("date", "datetime") else name  # the module imports these


def signature(operation: str, custom: CustomDraft, *, width: int | None = None) -> str:
    """What defines a handler, without its colon: one line, or one for each parameter if that is longer than `width`."""
    parts = [*_GIVEN]
    for argument in custom.arguments:
        default = "" if argument.required else " = None"
        parts.append(f"{argument.name}: {argument.annotation}{default}")
    line = f"def {function_name(operation)}({', '.join(parts)})"
    if width is None or len(line) <= width:
        return line
    return "\n".join([f"def {function_name(operation)}(", *(f"    {part}," for part in parts), ")"])


def handlers_text(draft: Draft) -> str:
    """A Python module with a stub for each operation of `draft` that needs a handler."""
    stubs = []
    for operation, custom in draft.customs.items():
        told = _docstring(custom)
        was = [
            f"`{one.was}` in the original is `{one.name}`."
            for one in custom.arguments
            if not names.same(one.was, one.name)
        ]
        body = [f'    """{told}', *([""] + [f"    {line}" for line in was] + ['    """'] if was else [])]
        if not was:
            body[0] += '"""'
        stubs.append(
            "\n".join(
                [
                    f"{signature(operation, custom, width=WIDTH)}:",
                    *body,
                    f'    raise NotImplementedError("{operation}")',
                ]
            )
        )
    code = "\n\n\n".join(stubs)
    imports = []
    for line, offered in _IMPORTS:
        used = [word for word in offered if re.search(rf"[:\[ ]{word}\b(?!\()", code)]
        if used:
            imports.append(line.format(", ".join(used)))
    head = [
        f'"""Handlers of the world {draft.name}. Each decides what one operation does, or refuses with ValueError."""'
    ]
    head += ["", "from __future__ import annotations", *([""] if imports else []), *imports]
    return "\n".join(head) + "\n" + (f"\n\n{code}\n" if code else "")


def _docstring(custom: CustomDraft) -> str:
    told = " ".join(f"{custom.origin}: {custom.description}".split() if custom.description else custom.origin.split())
    plain = "".join(char if char.isprintable() and char not in '\\"' else "'" for char in told)
    return plain if plain.endswith((".", "!", "?")) else f"{plain}."
