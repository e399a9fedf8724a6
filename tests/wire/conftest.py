"""A world with tools of all forms: names that Python keeps for itself, every type of argument and kind of operation."""

from __future__ import annotations

import pytest

from tests.conformance.runs import beginner, written

WORLD = """\
name: office
services:
  desk:
    records:
      note:
        id: str
        text: str
        pages: int[1..10]
        price: float[5..500]
        state: enum[open, done]
        due: datetime?
        done: bool
        tags: list[str]
        from: str?
        ok: str?
        address: { street: str, zip: str }
    seed: { note: [{ id: "1", text: hello, pages: 2, price: 9.5, state: open, tags: [a, b], from: bob, ok: well }] }
    operations:
      get_note: { kind: get, record: note }
      list_notes: { kind: list, record: note, filter: [state, pages] }
      create_note: { kind: create, record: note, required: [text] }
      update_note: { kind: update, record: note }
      delete_note: { kind: delete, record: note }
      aio: { kind: get, record: note }
      openai: { kind: get, record: note }
      class: { kind: get, record: note }
      move: { kind: custom, handler: desk_rules.move }
      count: { kind: custom, handler: desk_rules.count, access: read }
      refuse: { kind: custom, handler: desk_rules.refuse }
      broken: { kind: custom, handler: desk_rules.broken }
"""
RULES = '''\
def move(world, clock, *, to: str = "top", note_id: str):
    """Move a note.

    It keeps its number.
    """
    world.note.update(note_id, text=to)
    return {"to": to, "note_id": note_id}


def count(world, clock):
    """Count the notes."""
    return world.note.count()


def refuse(world, clock, how: str):
    """Say no."""
    world.note.update("1", text="half done")
    raise {
        "value": ValueError("the note is locked"),
        "key": KeyError("no such shelf"),
        "lookup": LookupError("nothing there"),
        "permission": PermissionError("not yours"),
        "empty": ValueError(),
    }[how]


def broken(world, clock, how: str = "type"):
    """Do something."""
    world.note.update("1", text="half done")
    if how == "cause":
        try:
            {}["secret"]
        except KeyError as error:
            raise RuntimeError("it went wrong in /home/me/secret.py") from error
    return None + 1
'''


@pytest.fixture(scope="session")
def office(tmp_path_factory):
    return written(tmp_path_factory.mktemp("office"), "office", WORLD, "desk_rules", RULES)


@pytest.fixture
def begin(office):
    """Begins a run with the given rules, or a whole plan; it ends when it is left."""
    return beginner(office)
