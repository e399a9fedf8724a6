"""`squall world-from-openapi`: where the draft goes, and what is refused."""

from __future__ import annotations

import pytest

from squall.worlds import World

API = """\
openapi: 3.0.3
info: { title: Box Store }
paths:
  /boxes/{id}:
    get:
      operationId: getBox
      responses:
        200:
          content: { application/json: { schema: { $ref: "#/components/schemas/Box" } } }
  /boxes/{id}/open:
    post: { operationId: openBox, parameters: [{ name: id, in: path, schema: { type: string } }] }
components:
  schemas:
    Box: { type: object, properties: { id: { type: string }, size: { type: integer, minimum: 1 } } }
"""


@pytest.fixture
def api(write):
    return write("api.yaml", API)


def test_a_draft_is_shown(squall, api):
    done = squall("world-from-openapi", api)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("# A draft of api.yaml (Box Store).")
    assert "box: { id: str, size: int[1..]? }" in done.out
    assert "# open_box: { kind: custom, handler: box_store_rules.open_box }" in done.out


def test_a_draft_is_written_with_its_handlers_and_can_be_checked(squall, api, tmp_path):
    done = squall(
        "world-from-openapi", api, "--output", "worlds/box.yaml", "--handlers", "box_rules.py", "--name", "box"
    )
    assert done.out.splitlines() == [
        "worlds/box.yaml: a draft with 1 record, 1 operation",
        "left in comments, for you to write: open_box",
    ]
    assert World.load("worlds/box.yaml").call("get_box", {"id": "1"})["id"] == "1"
    assert "handler: box_rules.open_box" in (tmp_path / "worlds/box.yaml").read_text()
    assert "def open_box(world, clock, id: str):" in (tmp_path / "box_rules.py").read_text()
    assert squall("validate", "worlds/box.yaml").out == "worlds/box.yaml: a world, 1 operation: nothing wrong\n"


def test_a_file_that_is_there_stays_unless_it_is_forced(squall, api, write, tmp_path):
    write("box.yaml", "mine")
    write("rules.py", "mine")
    done = squall("world-from-openapi", api, "--output", "box.yaml", "--handlers", "rules.py")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "error: box.yaml: this file is there already\n    Name another file, or write over it with --force.\n"
        "error: rules.py: this file is there already\n    Name another file, or write over it with --force.\n"
    )
    assert (tmp_path / "box.yaml").read_text() == "mine"
    assert squall("world-from-openapi", api, "--output", "box.yaml", "--force").status == 0
    assert (tmp_path / "box.yaml").read_text().startswith("# A draft")


@pytest.mark.parametrize("name", ["rules.txt", "my-rules.py"])
def test_handlers_go_into_a_module(squall, api, name, tmp_path):
    done = squall("world-from-openapi", api, "--handlers", name)
    assert done.status == 2
    assert done.err.startswith(f"error: {name}: no handler can be in a file of this name")
    assert not (tmp_path / name).exists()


def test_a_place_where_nothing_can_be_written_is_said(squall, api):
    done = squall("world-from-openapi", api, "--output", "api.yaml/world.yaml")
    assert done.status == 2
    assert done.err.startswith("error: api.yaml/world.yaml: this file cannot be written: ")


def test_many_operations_are_left_in_few_words(squall, write):
    paths = "".join(f"  /do{n}: {{ post: {{ operationId: do{n} }} }}\n" for n in range(7))
    write("api.yaml", f"openapi: 3.0.0\npaths:\n{paths}")
    done = squall("world-from-openapi", "api.yaml", "--output", "w.yaml")
    assert done.out.endswith("for you to write: do0, do1, do2, do3, do4 and 2 more\n")


def test_what_is_wrong_has_its_place(squall, write):
    write("api.yaml", API.replace('schemas/Box"', 'schemas/Bix"'))
    done = squall("world-from-openapi", "api.yaml")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "error: api.yaml:9:58: '#/components/schemas/Bix' refers to nothing: there is no 'Bix'; did you mean 'Box'?\n"
    )


def test_a_world_is_no_openapi_document(squall, good):
    done = squall("world-from-openapi", good)
    assert done.err.startswith("error: good.yaml:1:1: this is a world already")
