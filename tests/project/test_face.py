"""The lazy face, `squall/__init__.py`."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import squall

SOURCE = Path(squall.__file__).parents[1]

LISTED = """
import sys
before = set(sys.modules)
{statement}
print(*sorted(set(sys.modules) - before))
"""


def modules_loaded_by(statement: str) -> set[str]:
    """By an interpreter that has loaded nothing before: no site-packages, so no start-up hooks of other tools."""
    child = [sys.executable, "-S", "-c", LISTED.format(statement=statement)]
    return set(
        subprocess.run(
            child, env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_importing_squall_loads_nothing_but_its_face():
    assert modules_loaded_by("import squall") <= {"squall", "squall.version", "__future__"}


def test_the_list_of_loaded_modules_would_show_a_heavy_one():
    assert {"squall", "json"} <= modules_loaded_by("import squall, json")


def test_an_error_class_is_fetched_without_what_it_does_not_need():
    loaded = modules_loaded_by("import squall; squall.UsageError")
    assert "squall.errors" in loaded
    assert not loaded & {"pydantic", "mcp", "rich", "typer", "asyncio", "msgspec", "difflib"}


@pytest.mark.parametrize("name", squall.__all__)
def test_each_name_of_the_face_is_there(name):
    assert getattr(squall, name) is getattr(squall, name)
    assert name in dir(squall)


def test_what_type_checkers_see_is_what_the_face_gives():
    body = ast.parse(Path(squall.__file__).read_text(encoding="utf-8")).body
    (for_checkers,) = (node for node in body if isinstance(node, ast.If))
    promised = {
        each.asname or each.name: (node.module, each.name)
        for node in for_checkers.body
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    assert promised == squall._HOMES
    assert set(squall.__all__) == {*promised, "__version__"}


def test_a_misspelt_name_is_answered_with_the_nearest():
    with pytest.raises(AttributeError) as caught:
        squall.at_most_onc
    assert str(caught.value) == "module 'squall' has no attribute 'at_most_onc'; did you mean 'at_most_once'?"


def test_a_name_that_is_near_to_none_is_answered_with_all():
    with pytest.raises(AttributeError) as caught:
        squall.thermometer
    assert "it has AgentCheckFailed, InvalidRow, LimitReached, NoSuchRow, SquallError" in str(caught.value)


def test_a_probe_for_a_protocol_gets_no_advice():
    assert not hasattr(squall, "__wrapped__")
    with pytest.raises(AttributeError) as caught:
        squall.__worl__
    assert str(caught.value) == "module 'squall' has no attribute '__worl__'"


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in squall.__all__
        if isinstance(getattr(squall, name), type) and name[0].isupper() and name != "World"
    ],
)
def test_errors_are_told_by_their_public_names(name):
    error = getattr(squall, name)
    assert f"{error.__module__}.{error.__qualname__}" == f"squall.{name}"
    assert pickle.loads(pickle.dumps(error)) is error  # noqa: S301 - its own bytes
