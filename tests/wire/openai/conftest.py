"""What the tests of this room share: a stamp, the published schemas where they are there, and strict SDK models."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it comes without stubs
import msgspec
import pytest

from squall.wire.dialect import Frames, Stamp

CREATED = 1748736000
BESIDE = Path(__file__).parents[3].parent / "shared" / "specs"


@pytest.fixture
def stamp() -> Stamp:
    return a_stamp()


def a_stamp() -> Stamp:
    return Stamp(CREATED, lambda prefix, place=0: f"{prefix}{place:024d}")


@pytest.fixture(scope="session")
def over_the_wire() -> Callable[[Any], Any]:
    """A body as the client gets it."""
    return lambda body: json.loads(msgspec.json.encode(body))


@pytest.fixture(scope="session")
def data_of() -> Callable[[Frames], list[Any]]:
    """The data of a stream's events, each checked for its form; the end mark is a string."""

    def read(frames: Frames) -> list[Any]:
        found = []
        for event in frames.events:
            assert event.endswith(b"\n\n")
            lines = event[:-2].split(b"\n")
            assert lines[-1].startswith(b"data: ")
            data = lines[-1].removeprefix(b"data: ")
            value: Any = data.decode() if data == b"[DONE]" else json.loads(data)
            if len(lines) > 1:
                assert lines == [b"event: " + value["type"].encode(), lines[-1]]
            found.append(value)
        return found

    return read


@pytest.fixture(scope="session")
def schemas() -> dict[str, Any]:
    """The schemas of the provider's published document, by their names."""
    path = Path(os.environ.get("SQUALL_SPECS", BESIDE)) / "openai.yml"
    if not path.is_file():
        pytest.skip("the provider's published schema, openai.yml, is not beside this project: SQUALL_SPECS can name it")
    yaml = pytest.importorskip("yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = _with_null(yaml.load(path.read_text(encoding="utf-8"), Loader=loader)["components"]["schemas"])
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="session")
def published(schemas: dict[str, Any]) -> Callable[[str, Any], None]:
    """Checks a body against a published schema, by the schema's name."""
    validators: dict[str, jsonschema.Draft202012Validator] = {}

    def check(name: str, body: Any) -> None:
        if name not in validators:
            reached = _reached(schemas, name)
            document = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": reached}}
            validators[name] = jsonschema.Draft202012Validator(document)
        error = jsonschema.exceptions.best_match(validators[name].iter_errors(body))
        assert error is None, f"{name}: {error.message} at {error.json_path}"

    return check


def _with_null(schema: Any) -> Any:
    """A schema in which `nullable`, of an older OpenAPI, is said in JSON Schema's words."""
    if isinstance(schema, list):
        return [_with_null(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _with_null(each) for name, each in schema.items() if name != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if schema.get("nullable") is True else plain


def _reached(schemas: dict[str, Any], name: str) -> dict[str, Any]:
    """A schema and all that it refers to."""
    found: dict[str, Any] = {}
    names = [name]
    while names:
        name = names.pop()
        if name not in found:
            found[name] = schemas[name]
            names += _references(schemas[name])
    return found


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for each in schema for name in _references(each)]
    if not isinstance(schema, dict):
        return []
    here = [schema["$ref"].rpartition("/")[2]] if isinstance(schema.get("$ref"), str) else []
    return here + [name for each in schema.values() for name in _references(each)]
