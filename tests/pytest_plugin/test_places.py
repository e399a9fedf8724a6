from __future__ import annotations

import types
from typing import Any

import pytest

from squall.pytest_plugin.places import place_of

CODE = """
import pytest
pytestmark = [pytest.mark.world("w.yaml")]

@pytest.mark.skipif(False,
    reason="two lines")
@pytest.mark.runs(3)
async def test_decorated(): pass

@pytest.mark.runs(2)
class TestClass:
    def test_method(self):
        pytest.mark.faults
"""


@pytest.mark.parametrize(
    ("item", "node", "name", "place"),
    [
        ("test_decorated", "function", "runs", "test_it.py:6:9"),
        ("test_method", "class", "runs", "test_it.py:9:9"),
        ("test_method", "module", "world", "test_it.py:2:22"),
        ("test_method", "function", "faults", "test_it.py:11"),
    ],
)
def test_a_mark_is_found_in_the_source_of_what_carries_it(pytester, item, node, name, place):
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\nmarkers =\n  world\n  runs\n")
    module = pytester.getmodulecol(CODE)
    items = {each.originalname: each for each in pytester.genitems([module])}
    kinds = {"function": pytest.Function, "class": pytest.Class, "module": pytest.Module}
    assert str(place_of(items[item].getparent(kinds[node]), name)).replace(module.name, "test_it.py") == place


def test_without_a_source_the_file_is_what_there_is_to_tell(pytester):
    config = pytester.parseconfig()
    node: Any = types.SimpleNamespace(obj=len, path=pytester.path / "deep" / "test_it.py", config=config)
    assert str(place_of(node, "runs")) == "deep/test_it.py"


def test_a_file_outside_the_folder_is_told_in_full(pytester, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "test_it.py"
    node: Any = types.SimpleNamespace(obj=None, path=elsewhere, config=pytester.parseconfig())
    assert str(place_of(node, "runs")) == str(elsewhere)
