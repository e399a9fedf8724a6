"""Attributes whose names are paths (`llm.input_messages.0.message.role`) as the objects and lists that these mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST = 100_000  # elements; a number beyond is no place in a list
DEEPEST = 12  # parts of a path


def nested(attributes: Mapping[str, Any], prefix: str) -> Any:
    """What stands under a prefix: an object, a list where the next parts of the names are numbers, or the value."""
    if prefix in attributes:
        return attributes[prefix]
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if name.startswith(prefix + "."):
            _put(root, name[len(prefix) + 1 :].split(".", DEEPEST), value)
    return _lists(root) if root else None


def numbered(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """The objects of the list that stands under a prefix."""
    found = nested(attributes, prefix)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def flat(attributes: Mapping[str, Any], *roots: str) -> dict[str, Any]:
    """Attributes with those under `roots` as paths, where a file holds them as objects."""
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        if name in roots or name.split(".", 1)[0] in roots:
            _flatten(name, value, found, 0)
        else:
            found[name] = value
    return found


def _flatten(path: str, value: Any, found: dict[str, Any], depth: int) -> None:
    if isinstance(value, dict) and value and depth < DEEPEST:
        for name, inner in value.items():
            _flatten(f"{path}.{name}", inner, found, depth + 1)
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value) and depth < DEEPEST:
        for place, inner in enumerate(value):
            _flatten(f"{path}.{place}", inner, found, depth + 1)
    else:
        found[path] = value


def _put(root: dict[str, Any], path: list[str], value: Any) -> None:
    for part in path[:-1]:
        inner = root.setdefault(part, {})
        if not isinstance(inner, dict):
            return
        root = inner
    root.setdefault(path[-1], value)


def _lists(value: Any) -> Any:
    """Objects all of whose names are numbers as lists."""
    if not isinstance(value, dict):
        return value
    if value and all(name.isdigit() and name.isascii() and len(name) < len(str(MOST)) for name in value):
        return [_lists(value[name]) for name in sorted(value, key=int)]
    return {name: _lists(inner) for name, inner in value.items()}
