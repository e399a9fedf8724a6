"""What the fields of a new row begin with where a call leaves them out."""

from __future__ import annotations

from datetime import timedelta

import pytest

import squall
from squall.call import Refused
from squall.errors import UsageError

CLINIC = """
services:
  desk:
    records:
      visit:
        fields:
          id: str
          patient: str
          status: enum[waiting, seen]
          fee: decimal[>0..]
          came_at: datetime
          day: date
          tags: list[str]
          room: { floor: int, wing: str }
          note: str?
          word: str
          version: int
        version: version
    operations:
      admit:
        kind: create
        record: visit
        required: [patient]
        idempotency_key: request_id
        defaults:
          {
            status: waiting, fee: 12.50, came_at: now, day: now, tags: [new], room: { floor: 1, wing: a },
            note: null, word: now,
          }
      get_visit: { kind: get, record: visit }
"""


@pytest.fixture
def clinic(world_of):
    return world_of(CLINIC)


def test_what_a_call_leaves_out_begins_with_its_default(clinic):
    clinic.clock.advance(timedelta(days=1, seconds=5))
    visit = clinic.call("admit", {"patient": "Ida"})
    assert visit == clinic.call("get_visit", {"id": "1"})
    assert visit == {
        "id": "1",
        "patient": "Ida",
        "status": "waiting",
        "fee": "12.5",
        "came_at": "2025-06-02T00:00:05Z",
        "day": "2025-06-02",
        "tags": ["new"],
        "room": {"floor": 1, "wing": "a"},
        "note": None,
        "word": "now",
        "version": 1,
    }


def test_what_a_call_gives_stays_what_it_is(clinic):
    given = {"status": "seen", "fee": "3.00", "came_at": "2025-01-01T00:00:00Z", "day": "2025-01-01", "tags": []}
    visit = clinic.call("admit", {"patient": "Ida", "note": "again", **given})
    assert {name: visit[name] for name in given} == given
    assert visit["note"] == "again"


def test_null_is_not_left_out(clinic):
    with pytest.raises(Refused, match="status: null is not one of waiting, seen"):
        clinic.call("admit", {"patient": "Ida", "status": None})


def test_two_rows_share_nothing_of_a_default(clinic):
    first = clinic.call("admit", {"patient": "Ida"})
    first["tags"].append("changed")
    first["room"]["floor"] = 9
    second = clinic.call("admit", {"patient": "Bo"})
    assert (second["tags"], second["room"]) == (["new"], {"floor": 1, "wing": "a"})
    assert clinic.visits["1"].tags == ["new"]


def test_the_schema_tells_what_is_left_out(clinic):
    schema = clinic.operations["admit"].input_schema
    assert schema["required"] == ["patient"]
    defaults = {name: part["default"] for name, part in schema["properties"].items() if "default" in part}
    assert defaults == {
        "status": "waiting",
        "fee": "12.5",
        "tags": ["new"],
        "room": {"floor": 1, "wing": "a"},
        "word": "now",
    }
    assert schema["properties"]["came_at"]["description"] == "the time of the call if left out"


def test_a_plain_function_may_leave_it_out_or_give_none(make):
    with squall.world(make(CLINIC)) as run:
        assert run.tools.admit("Ida")["status"] == "waiting"
        assert run.tools.admit("Ida", status=None)["status"] == "waiting"
        assert run.tools.admit("Ida", status="seen")["status"] == "seen"


def test_a_row_that_is_made_now_has_an_age_for_faults(make):
    rule = [{"target": "desk.get_visit", "kind": "not_found", "when": {"newer_than": "1h"}}]
    with squall.world(make(CLINIC), faults=rule) as run:
        visit = run.tools.admit("Ida")["id"]
        with pytest.raises(squall.ToolError, match="404"):
            run.tools.get_visit(id=visit)
        run.clock.advance(3600)
        assert run.tools.get_visit(id=visit)["patient"] == "Ida"


def test_a_repeated_request_gets_the_first_answer_with_its_defaults(clinic):
    first = clinic.call("admit", {"patient": "Ida", "request_id": "r"})
    clinic.clock.advance(60)
    assert clinic.call("admit", {"patient": "Ida", "request_id": "r"}) == first
    assert len(clinic.visits) == 1


def test_a_default_that_refers_to_no_row_is_refused_when_it_is_used(world_of):
    world = world_of(
        """
        services:
          a:
            records: { desk: { n: int }, visit: { desk: "ref[a.desk]" } }
            operations: { admit: { kind: create, record: visit, defaults: { desk: main } } }
        """
    )
    with pytest.raises(Refused, match="desk: there is no desk with id 'main'"):
        world.call("admit", {})
    world.desks.insert(id="main")
    assert world.call("admit", {})["desk"] == "main"


DECLARED = """\
services:
  a:
    records:
      x:
        fields: { s: "enum[open, shut]", at: datetime, v: int, key: str, must: str, m: { c: str } }
        version: v
    operations:
      make:
        kind: create
        record: x
        required: [must]
        idempotency_key: key
        defaults: { LINE }
"""


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("s: opn", 24, "s: 'opn' is not one of open, shut; did you mean 'open'?"),
        ("at: nwo", 25, "at: 'nwo' is not a date and time such as 2025-06-01T12:00:00Z; did you mean 'now'?"),
        ("s: null", 24, "s: null is not one of open, shut"),
        ("m: { c: 3 }", 29, "m.c: 3 is not a string"),
        ("st: open", 21, "a.x has no field 'st'; did you mean 's'?"),
        ("id: '7'", 21, "an 'id' is given or numbered, and has no default"),
        ("v: 1", 21, "'v' counts updates, and begins at 1"),
        ("key: k", 21, "'key' is the idempotency key, and with a default all calls would be the same one"),
        ("must: x", 21, "'must' is required, so that its default would never be used"),
    ],
)
def test_a_default_that_cannot_be_one_is_told_with_its_place(world_of, line, column, message):
    with pytest.raises(UsageError) as caught:
        world_of(DECLARED.replace("LINE", line))
    assert str(caught.value).splitlines()[0] == f"world.yaml:13:{column}: {message}"


def test_defaults_are_for_create_alone(world_of):
    with pytest.raises(UsageError, match=r"world.yaml:13:9: kind update has no 'defaults'"):
        world_of(DECLARED.replace("kind: create", "kind: update").replace("LINE", "s: open"))
