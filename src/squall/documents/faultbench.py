"""World files of faultbench 0.1, told apart from squall's and read as if they were spelled like them.

The two formats share their skeleton: services with records, seeds and operations, and `faults:` by target. What
faultbench is more lenient about is put into squall's words here; keys and places stay, so that errors point into the
file as it is. Knows no world and no fault; how faultbench calls its handlers is the business of `worlds.faultbench`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeVar

WORLD_KEYS = frozenset({"name", "seed", "services", "faults"})
SERVICE_KEYS = frozenset({"records", "seed", "operations"})
OPERATION_KEYS = frozenset({"kind", "record", "filter", "handler"})
ONLY_FOR = {"filter": "list", "handler": "custom"}
"""Keys of operations that faultbench passes over where the kind is another."""
TYPE = re.compile(r"\s*(?:str|int|float|bool|datetime|enum\[(?P<members>.*)\]|ref\[(?P<target>[\w.]+)\])\s*", re.DOTALL)
NUMBERS = ("calls", "per_seconds")


class Readable(Protocol):
    """What is translated: plain data. `squall.documents.Document` is one."""

    data: Any


Source = TypeVar("Source", bound=Readable)


def is_faultbench(data: Any) -> bool:
    """Whether this is the data of a world file of faultbench.

    It is if it says all that faultbench demands and nothing that is squall's own (a key, a type, a fixed row), and
    names a record as the collection that it is (`orders`), as one does there, where tables have no other name.
    """
    if not isinstance(data, dict) or not isinstance(data.get("name"), str) or not data.keys() <= WORLD_KEYS:
        return False
    services = data.get("services")
    if not isinstance(services, dict) or not all(map(_is_service, services.values())):
        return False
    names = [name for service in services.values() for name in _mapping(service.get("records"))]
    return len(set(names)) == len(names) and any(map(_is_collection, names))


def in_our_words(source: Source) -> Source:
    """`source`, or if it is faultbench's, the same with data as squall spells it. Places stay what they were."""
    if not is_faultbench(source.data):
        return source
    ours = copy.copy(source)
    services = source.data["services"]
    homes = {name: f"{home}.{name}" for home, parts in services.items() for name in _mapping(parts.get("records"))}
    filled = {name for parts in services.values() if _count(parts) for name in _mapping(parts.get("records"))}
    ours.data = {
        **source.data,
        **({"seed": _number(source.data["seed"])} if "seed" in source.data else {}),
        "services": {name: _service(parts, homes, filled) for name, parts in services.items()},
        **({"faults": _faults(source.data["faults"])} if "faults" in source.data else {}),
    }
    return ours


# telling it apart


def _is_service(parts: Any) -> bool:
    if not isinstance(parts, dict) or not parts.keys() <= SERVICE_KEYS:
        return False
    records, operations, seed = parts.get("records") or {}, parts.get("operations") or {}, parts.get("seed", {})
    return (
        isinstance(records, dict)
        and all(map(_is_record, records.values()))
        and isinstance(operations, dict)
        and all(isinstance(each, dict) and each.keys() <= OPERATION_KEYS for each in operations.values())
        and isinstance(seed, dict)
        and seed.keys() <= {"count"}
    )


def _is_record(fields: Any) -> bool:
    return (
        isinstance(fields, dict)
        and "id" in fields
        and all(isinstance(declared, str) and TYPE.fullmatch(declared) for declared in fields.values())
    )


def _is_collection(name: Any) -> bool:
    return isinstance(name, str) and name.endswith("s") and not name.endswith(("ss", "us", "is"))


# translating it


def _service(parts: Mapping[str, Any], homes: Mapping[str, str], filled: set[str]) -> dict[str, Any]:
    count = _count(parts)
    ours: dict[str, Any] = {
        "records": {
            record: {
                field: _type(field, declared, homes, filled, has_rows=bool(count)) for field, declared in fields.items()
            }
            for record, fields in _mapping(parts.get("records")).items()
        },
        "operations": dict(_operations(_mapping(parts.get("operations")))),
    }
    return ours if count is None else {**ours, "seed": {"count": count}}


def _type(field: str, declared: str, homes: Mapping[str, str], filled: set[str], *, has_rows: bool) -> str:
    """Ids are text; references go by the record's name alone, and may be empty where there is nothing to refer to."""
    found = TYPE.fullmatch(declared)
    members, target = found.groups() if found else (None, None)
    if field == "id" and (members is not None or target or declared.strip() not in ("str", "int")):
        return "str"
    if members is not None:
        kept = dict.fromkeys(member.strip() for member in members.split(",") if member.strip())
        return f"enum[{', '.join(kept)}]"
    if target:
        record = target.rpartition(".")[2]
        return f"ref[{homes.get(record, target)}]" + ("?" if has_rows and record not in filled else "")
    return declared.strip()


def _operations(operations: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, given in operations.items():
        kind = given.get("kind")
        yield name, {key: value for key, value in given.items() if ONLY_FOR.get(key, kind) == kind}


def _faults(faults: Any) -> Any:
    if not isinstance(faults, dict):
        return faults
    return {target: {} if rule is None else _rule(rule) for target, rule in faults.items()}


def _rule(rule: Any) -> Any:
    """A rule without the parts that are empty, and with numbers for texts that are numbers."""
    if not isinstance(rule, dict):
        return rule
    ours = {key: value for key, value in rule.items() if value is not None}
    if isinstance(ours.get("errors"), dict):
        ours["errors"] = {kind: _number(value) for kind, value in ours["errors"].items()}
    if isinstance(ours.get("rate_limit"), dict):
        limit = ours["rate_limit"]
        ours["rate_limit"] = {key: _number(value) if key in NUMBERS else value for key, value in limit.items()}
    return ours


def _count(parts: Mapping[str, Any]) -> Any:
    """How many rows a service's records have: none if it is less than 0."""
    count = _number(_mapping(parts.get("seed")).get("count"))
    return max(0, count) if isinstance(count, int) and not isinstance(count, bool) else count


def _number(value: Any) -> Any:
    """`value`, as a number if it is the text of one, as 1_000 is in YAML 1.2; a whole one as an int."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
