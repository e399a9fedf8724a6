"""A draft as the text of a world file: short records on one line, comments that say what to complete.

The same draft gives the same bytes. Knows how world files look, and nothing of where a draft comes from.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from squall.documents.document import MAX_SIZE
from squall.drafts.draft import Draft, FieldDraft, OperationDraft, RecordDraft, ServiceDraft
from squall.drafts.handlers import function_name, signature
from squall.errors import UsageError

WIDTH = 116
"""Characters of a line, where its text can be broken."""
LONGEST = 1000
"""Characters of the longest description that is kept."""
ROWS = 5

_TYPE = re.compile(r"[a-z]+(?:\([a-z_]+\)|\[[A-Za-z0-9_ .,:/+()\[\]<>?-]*\])?\??\Z")
_PLAIN = re.compile(r"[A-Za-z](?:[\w ./()-]*[\w.)])?\Z", re.ASCII)
_SPECIAL = frozenset(("null", "true", "false"))


def world_text(draft: Draft, *, handlers: str = "rules") -> str:
    """The world file. `handlers` is the module that custom operations name."""
    lines = [*_header(draft, handlers), f"name: {scalar(draft.name)}", ""]
    lines.append("services:" if draft.services else "services: {}")
    for name, service in draft.services.items():
        lines += _service(name, service, handlers)
    text = "\n".join(lines) + "\n"
    if len(text) > MAX_SIZE:
        raise UsageError(
            f"the draft would be larger than {MAX_SIZE // 2**20} MB, which is more than a world file may be"
        )
    return text


def scalar(value: Any) -> str:
    """One text, number or truth in YAML 1.2, good in flow style too."""
    if not isinstance(value, str):
        return json.dumps(value)
    if value.lower() not in _SPECIAL and (_PLAIN.match(value) or _is_type(value)):
        return value
    return json.dumps(value, ensure_ascii=not value.isprintable())


def flow(value: Any) -> str:
    """Any value on one line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{scalar(key)}: {flow(inner)}' for key, inner in value.items())} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    return scalar(value)


def _is_type(text: str) -> bool:
    return bool(_TYPE.match(text)) and ": " not in text and " #" not in text


def _header(draft: Draft, handlers: str) -> list[str]:
    told = [
        f"A draft of {draft.source}. It loads as it stands; complete it where your tests need more:",
        f"- seed: how many rows each record starts with ({ROWS}), and the rows that your tests name",
        "- types: ranges, enums and references that the original does not tell",
    ]
    if any(drafted.kind != "list" for drafted in draft.operations.values()):
        told.append("- get, update and delete take the argument id, whatever the original calls it")
    if draft.customs:
        told.append(
            f"- operations that are commented out ({len(draft.customs)}): write their handlers in {handlers}.py, then "
            "take the '#' away"
        )
    told += [f"- {note}" for note in draft.notes]
    return [line for text in told for line in _comment(text, 0)]


def _comment(text: str, indent: int) -> list[str]:
    clean = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    start = " " * indent + "# "
    more = "  " if clean.startswith("- ") else ""
    return textwrap.wrap(
        clean[:LONGEST], WIDTH, initial_indent=start, subsequent_indent=start + more, break_on_hyphens=False
    )


def _service(name: str, service: ServiceDraft, handlers: str) -> Iterator[str]:
    yield f"  {scalar(name)}:"
    yield f"    records:{'' if service.records else ' {}'}"
    if service.records:
        for record in service.records.values():
            yield from _record(record)
        yield f"    seed: {{ count: {ROWS} }}"
    if service.operations:
        yield "    operations:"
        for operation, drafted in service.operations.items():
            yield from _operation(operation, drafted)
    elif service.customs:
        yield "    # operations:"
    for operation, custom in service.customs.items():
        yield from _comment(f"{custom.origin}: def {signature(operation, custom).removeprefix('def ')}", 6)
        declared: dict[str, Any] = {"kind": "custom", "handler": f"{handlers}.{function_name(operation)}"}
        if custom.reads:
            declared["access"] = "read"
        if custom.description:
            declared["description"] = custom.description[:LONGEST]
        for line in _entry(scalar(operation), declared, 6):
            yield f"      # {line[6:]}"


def _record(record: RecordDraft) -> Iterator[str]:
    for note in record.notes:
        yield from _comment(note, 6)
    start = f"      {scalar(record.name)}: "
    whole = start + flow({name: drafted.declared for name, drafted in record.fields.items()})
    if len(whole) <= WIDTH and not any(drafted.notes for drafted in record.fields.values()):
        yield whole
        return
    yield start.rstrip()
    for name, drafted in record.fields.items():
        yield from _field(name, drafted)


def _field(name: str, drafted: FieldDraft) -> Iterator[str]:
    lines = list(_entry(scalar(name), drafted.declared, 8))
    told = _comment("; ".join(drafted.notes), 0)
    if len(told) == 1 and len(lines) == 1 and len(lines[0]) + len(told[0]) + 2 <= WIDTH:
        yield f"{lines[0]}  {told[0]}"
        return
    yield from _comment("; ".join(drafted.notes), 8)
    yield from lines


def _entry(start: str, value: Any, indent: int) -> Iterator[str]:
    """`key: value` on one line if it fits, else a block."""
    line = f"{' ' * indent}{start}: {flow(value)}"
    if len(line) <= WIDTH or isinstance(value, str) or not value:
        yield line
        return
    yield f"{' ' * indent}{start}:"
    if isinstance(value, list):
        for item in value:
            for place, inner in enumerate(_block(item, indent + 4)):
                yield f"{' ' * (indent + 2)}- {inner.lstrip()}" if place == 0 else inner
        return
    yield from _block(value, indent + 2)


def _block(value: Any, indent: int) -> Iterator[str]:
    if not isinstance(value, dict) or not value:
        yield f"{' ' * indent}{flow(value)}"
        return
    for name, inner in value.items():
        yield from _entry(scalar(name), inner, indent)


def _operation(name: str, drafted: OperationDraft) -> Iterator[str]:
    for note in drafted.notes:
        yield from _comment(f"{name}: {note}", 6)
    declared: dict[str, Any] = {"kind": drafted.kind, "record": drafted.record}
    if drafted.filter:
        declared["filter"] = list(drafted.filter)
    if drafted.sort:
        declared["sort"] = list(drafted.sort)
    if drafted.required:
        declared["required"] = list(drafted.required)
    if drafted.defaults:
        declared["defaults"] = dict(drafted.defaults)
    if drafted.description:
        declared["description"] = drafted.description[:LONGEST]
    yield from _entry(scalar(name), declared, 6)
