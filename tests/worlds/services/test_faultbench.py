"""Worlds of faultbench 0.1 load and run as they are, with the handlers that were written for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import squall
from squall.call import Refused
from squall.errors import UsageError
from squall.faults import parse_plan
from squall.runs.plans import targets_of
from squall.worlds import World
from squall.worlds.services.faultbench import adapted

EXAMPLES = os.environ.get("FAULTBENCH_SDIST")

CLINIC = """\
name: clinic
seed: 3

services:
  people:
    records:
      patients:
        id: str
        name: str
        state: enum[waiting, seen]
        arrived_at: datetime
    seed:
      count: 4
    operations:
      get_patient:    { kind: get, record: patients }
      list_patients:  { kind: list, record: patients, filter: [state] }
      change_patient: { kind: update, record: patients }
HANDLERS
  ward:
    records:
      notes:
        id: str
        patient_id: ref[patients]
        text: str
        written_at: datetime
    operations:
      write_note: { kind: create, record: notes }
      drop_note:  { kind: delete, record: notes }

faults:
  default:
    latency_ms: [10, 20]
  ward.write_note:
    errors: { timeout: 1.0 }
    rate_limit: { calls: 2, per_seconds: 60 }
  people.get_patient:
    errors: { not_found_if_newer_than: 2h }
  people.change_patient:
"""
TEXT = CLINIC.replace("HANDLERS\n", "")


@pytest.fixture
def clinic(make):
    """The clinic with an operation for each function in the code of its handlers."""

    def load(code=""):
        names = [line.split("def ")[1].split("(")[0] for line in code.splitlines() if "def " in line]
        lines = "".join(f"      {name}: {{ kind: custom, handler: rules.{name} }}\n" for name in names)
        return World.load(make(CLINIC.replace("HANDLERS\n", lines), rules=code))

    return load


def test_a_file_of_faultbench_loads_with_its_records_and_operations(clinic):
    world = clinic()
    assert (world.name, world.seed, world.revision) == ("clinic", 3, 0)
    assert [patient.id for patient in world.patients] == ["1", "2", "3", "4"]
    assert world.notes.count() == 0
    assert list(world.operations) == ["get_patient", "list_patients", "change_patient", "write_note", "drop_note"]


def test_the_same_file_gives_the_same_rows_every_time(clinic):
    assert clinic().snapshot() == clinic().snapshot()


def test_its_operations_do_what_they_say(clinic):
    world = clinic()
    world.call("change_patient", {"id": "1", "state": "seen"})
    assert "1" in {row["id"] for row in world.call("list_patients", {"state": "seen"})}
    note = world.call("write_note", {"patient_id": "1", "text": "better"})
    assert note == {"id": "1", "patient_id": "1", "text": "better", "written_at": None}
    with pytest.raises(Refused, match="state"):
        world.call("change_patient", {"id": "1", "state": "gone"})


def test_a_timeout_of_its_faults_strikes_after_the_effect_and_its_limit_before(make):
    path = make(TEXT)
    with squall.world(path, faults=path) as run:
        for _ in range(2):
            with pytest.raises(TimeoutError):
                run.tools.write_note(patient_id="1", text="again")
        assert run.world.notes.count() == 2
        run.world.patients.update("1", arrived_at=run.clock.now())
        with pytest.raises(squall.ToolError, match="404"):
            run.tools.get_patient(id="1")


def test_an_empty_rule_in_its_faults_means_nothing_and_the_others_hold(make):
    world = World.load(make(TEXT))
    plan = parse_plan(world.document, targets_of(world))
    assert [rule.kind for rule in plan.rules.faults] == ["timeout", "not_found"]
    assert "people.change_patient" in plan.rules.latencies[0].targets


def test_what_is_wrong_with_its_faults_is_said_with_its_place_in_the_file(make):
    world = World.load(make(TEXT.replace("timeout: 1.0", "timeuot: 1.0")))
    with pytest.raises(UsageError, match=r"world.yaml:33:15: .*'timeuot'.*'timeout'"):
        parse_plan(world.document, targets_of(world))


def test_a_reference_to_nothing_is_said_with_its_place_in_the_file(make):
    with pytest.raises(UsageError, match=r"world.yaml:22:21: ref\[patiens\] refers to a record that does not exist"):
        World.load(make(TEXT.replace("ref[patients]", "ref[patiens]")))


def test_squalls_own_files_stay_strict(make):
    with pytest.raises(UsageError, match=r"ref\[patients\] refers to a record that does not exist"):
        World.load(make(TEXT.replace("record: notes }", "record: notes, description: A note. }")))
    with pytest.raises(UsageError, match="unknown key 'recrod'"):
        World.load(make(TEXT.replace("{ kind: get, record", "{ kind: get, recrod")))


def test_its_handlers_see_moments_as_text_and_a_clock_without_a_zone(clinic):
    world = clinic(
        """\
from datetime import datetime, timedelta

def age(world, clock, patient_id: str, since: datetime) -> dict:
    '''How long somebody has waited.'''
    row = world.patients.get(patient_id)
    arrived = row["arrived_at"]
    assert isinstance(arrived, str) and arrived[:4] == "2025" and arrived < clock.now().isoformat()
    assert datetime.fromisoformat(row.arrived_at) < clock.now()
    assert since < clock.now() and clock.now() > datetime(2025, 5, 1)
    assert row.get("arrived_at") == row.to_dict()["arrived_at"] == dict(row)["arrived_at"]
    clock.advance(5)
    return {"hours": (clock.now() - datetime.fromisoformat(arrived)).total_seconds() // 3600, "arrived": arrived}
"""
    )
    row = world.patients.update("1", arrived_at="2025-05-31T22:00:00")
    answer = world.call("age", {"patient_id": "1", "since": "2025-05-31T00:00:00Z"})
    assert answer == {"hours": 2.0, "arrived": "2025-05-31T22:00:00"}
    assert row.arrived_at.tzinfo is not None
    assert world.operations["age"].description == "How long somebody has waited."


def test_a_handler_may_reckon_with_moments_as_with_datetimes(clinic):
    world = clinic(
        """\
from datetime import datetime, timedelta

def reckon(world, clock):
    first, second = (row.arrived_at for row in world.patients.all()[:2])
    now = clock.now()
    assert first < now and first <= now and now > first and now >= first
    assert not (first > now or first >= now or now < first or now <= first)
    assert first < "3" and first <= "3" and first > "1" and first >= "1"
    assert first + timedelta(days=1) == datetime.fromisoformat(first) + timedelta(days=1)
    assert first + "Z" == f"{first}Z"
    assert first.year == 2025 and first.date() < now.date()
    return {"ago": (now - first).total_seconds(), "same": (first - first).days}
"""
    )
    ago = (world.clock.now() - world.patients["1"].arrived_at).total_seconds()
    assert world.call("reckon", {}) == {"ago": ago, "same": 0}


def test_rows_follow_later_writes_and_can_be_assigned_to(clinic):
    world = clinic(
        """\
def see(world, clock, id):
    row = world.patients.get(id)
    world.patients.update(id, state="seen")
    row["name"] = "Ida"
    row.name = row.name + " Berg"
    return row

def leave(world, clock, id):
    row = world.patients[id]
    assert world.patients.delete(id) is True and world.patients.delete(id) is False
    assert id not in world.patients and len(world.patients) == 3 and world.patients.get(id) is None
    return [row, *world.patients]
"""
    )
    seen = world.call("see", {"id": "1"})
    assert (seen["state"], seen["name"]) == ("seen", "Ida Berg")
    assert world.patients["1"].name == "Ida Berg"
    assert [row["id"] for row in world.call("leave", {"id": "2"})] == ["2", "1", "3", "4"]


def test_a_copy_of_a_row_stays_as_it_is(clinic):
    world = clinic(
        """\
import copy

def keep(world, clock):
    row = world.patients.get("1")
    row.state = "waiting"
    copies = [copy.copy(row), copy.deepcopy(row), row.to_dict()]
    row.state = "seen"
    assert copies[0].arrived_at == row.arrived_at and copy.copy(world).name == "clinic"
    return [each["state"] for each in copies]
"""
    )
    assert world.call("keep", {}) == ["waiting"] * 3


def test_an_update_of_a_row_that_is_not_there_is_a_key_error(clinic):
    world = clinic(
        """\
def change(world, clock, id, careful: bool):
    try:
        world.patients.update(id, state="seen")
    except KeyError:
        if not careful:
            raise
    return {}
"""
    )
    assert world.call("change", {"id": "9", "careful": True}) == {}
    with pytest.raises(Refused, match=r"^there is no patients with id '9'$"):
        world.call("change", {"id": "9", "careful": False})


def test_tables_find_nothing_where_squalls_would_complain_and_take_empty_texts_for_nothing(clinic):
    world = clinic(
        """\
def find(world, clock):
    assert world.patients.pick(state="gone") is None and world.patients.where(colour="red") == []
    assert world.patients.pick(id="2").id == "2" and world.table("patients").get("9") is None
    assert world["notes"].count() == 0 and bool(world.notes) and world.revision == 0 and world.name == "clinic"
    note = world.notes.insert({"patient_id": ""}, text="", written_at="")
    assert "written_at" not in note and "text" in note and len(note) == 4 and list(note)[0] == "id"
    assert note.get("written_at", "never") == "never" and note["patient_id"] is None
    return {"note": note, "shown": [repr(note), repr(world), repr(world.notes)]}
"""
    )
    answer = world.call("find", {})
    assert answer["note"] == {"id": "1", "patient_id": None, "text": "", "written_at": None}
    assert answer["shown"][0].startswith("notes(id='1'")


def test_a_refusal_is_one_and_leaves_nothing_behind(clinic):
    world = clinic(
        """\
def refuse(world, clock):
    world.patients.update("1", name="nobody")
    raise LookupError("no such thing")
"""
    )
    with pytest.raises(Refused, match="no such thing"):
        world.call("refuse", {})
    assert world.patients["1"].name != "nobody"
    assert world.revision == 0


async def answer(world, clock):
    """What no handler of faultbench is."""


@pytest.mark.parametrize("handler", [answer, print])
def test_a_handler_that_cannot_be_one_of_faultbenchs_stays_what_it_is(handler):
    assert adapted(handler) is handler


def test_handlers_of_squalls_own_files_get_datetimes_and_read_only_rows(make):
    code = """
    def see(world, clock):
        row = world.patients["1"]
        assert row.arrived_at < clock.now() and clock.now().tzinfo
        row.state = "seen"
    """
    text = CLINIC.replace("HANDLERS\n", "      see: { kind: custom, handler: rules.see }\n")
    text = text.replace("ref[patients]", "ref[people.patients]?")  # a type that faultbench does not have
    with pytest.raises(AttributeError, match="read-only"):
        World.load(make(text, rules=code)).call("see", {})


@pytest.mark.skipif(not EXAMPLES, reason="FAULTBENCH_SDIST names no folder with faultbench's unpacked sdist")
def test_the_worlds_in_faultbenchs_own_sdist_load_and_their_faults_are_plans():
    paths = sorted(Path(EXAMPLES or "").rglob("worlds/*.yaml"))
    assert paths
    for path in paths:
        world = World.load(path)
        if world.spec.faults is not None:
            assert parse_plan(world.document, targets_of(world)).rules.latencies
        for operation in world.operations.values():
            if operation.kind == "list":
                assert world.call(operation.tool, {}) == list(world.snapshot()[operation.record or ""].values())
