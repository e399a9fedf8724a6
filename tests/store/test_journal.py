"""State journals: what is written, and what they come to, also when the writer was killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squall.errors import UsageError
from squall.runs.environment import Environment
from squall.store import StateJournal, fold
from squall.store.journal import check

WORLD = """\
name: till
services:
  till:
    records: { sale: { id: str, amount: float } }
    seed: { sale: [{ id: "1", amount: 5 }, { id: "2", amount: 7 }] }
    operations:
      sell: { kind: create, record: sale }
      change: { kind: update, record: sale }
      cancel: { kind: delete, record: sale }
"""


@pytest.fixture
def world(tmp_path):
    path = tmp_path / "till.yaml"
    path.write_text(WORLD, encoding="utf-8")
    return path


@pytest.fixture
def journal(tmp_path):
    return tmp_path / "state.jsonl"


def sell(world, journal, *, faults=None, end=True, run_index=0):
    """A run that makes all kinds of changes. Gives its last snapshot."""
    with Environment(world, faults=faults, run_index=run_index) as run:
        written = StateJournal(journal, run.world, run_index=run_index)
        run.tools.sell(amount=3.5)
        run.tools.change(id="1", amount=6)
        run.tools.cancel(id="2")
        run.world.sales.insert(amount=1.25)
        if end:
            written.end("passed", run.world.revision)
        written.close()
        return run.world.snapshot()


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_journal_comes_to_what_the_world_is(world, journal):
    expected = sell(world, journal)
    found = fold(journal)
    assert found.snapshot == expected
    assert (found.world, found.seed, found.run_index, found.revision, found.ended) == ("till", 0, 0, 4, "passed")
    assert found.notes == ()


def test_it_begins_with_the_world_its_digest_and_its_seed_and_tells_which_call_did_what(world, journal):
    sell(world, journal, run_index=3)
    head, table, *effects, end = lines_of(journal)
    assert (head["journal"], head["world"], head["seed"], head["run_index"]) == (1, "till", 0, 3)
    assert len(head["digest"]) == 64
    assert table == {"table": "till.sale", "rows": {"1": {"id": "1", "amount": 5.0}, "2": {"id": "2", "amount": 7.0}}}
    assert [(line["rev"], line["op"], line["tool"]) for line in effects] == [
        (1, "insert", "sell"),
        (2, "update", "change"),
        (3, "delete", "cancel"),
        (4, "insert", None),
    ]
    assert effects[2]["row"] is None
    assert end == {"end": "passed", "revision": 4}


def test_a_file_that_a_living_server_writes_is_refused_to_a_second_one(world, journal):
    with Environment(world) as first, Environment(world) as second:
        writer = StateJournal(journal, first.world)
        before = journal.read_bytes()
        with pytest.raises(UsageError, match=r"another server is writing its state to .*\n    Give each server a file"):
            StateJournal(journal, second.world)
        assert journal.read_bytes() == before
        writer.end("passed", 0)
        StateJournal(journal, second.world).close()
    assert journal.read_bytes().startswith(before)


def test_an_effect_is_in_the_file_before_its_call_is_answered(world, journal):
    with Environment(world) as run:
        run.finally_(StateJournal(journal, run.world).close)
        for amount in (1, 2, 3):
            run.tools.sell(amount=amount)
            assert lines_of(journal)[-1]["row"]["amount"] == amount


def test_an_effect_whose_reply_was_lost_is_in_it_and_one_that_landed_late_too(world, journal):
    rules = [
        {"target": "till.sell", "kind": "connection_lost", "nth": 1},
        {"target": "till.sell", "kind": "timeout", "nth": 2, "phase": "late"},
    ]
    with Environment(world, faults=rules) as run:
        run.finally_(StateJournal(journal, run.world).close)
        with pytest.raises(ConnectionError):
            run.tools.sell(amount=1)
        with pytest.raises(TimeoutError):
            run.tools.sell(amount=2)
        assert len(fold(journal).snapshot["till.sale"]) == 3
        run.world.settle()
        assert len(fold(journal).snapshot["till.sale"]) == 4


def test_a_journal_without_an_end_says_so(world, journal):
    expected = sell(world, journal, end=False)
    assert fold(journal).ended is None
    assert fold(journal).snapshot == expected


def test_every_cut_of_a_journal_still_comes_to_a_state(world, journal):
    sell(world, journal)
    whole = journal.read_bytes()
    first = whole.index(b"\n") + 1
    revisions = []
    for cut in range(first, len(whole)):
        journal.write_bytes(whole[:cut])
        found = fold(journal)
        revisions.append(found.revision)
        clean = whole[:cut].endswith(b"\n") or whole[cut : cut + 1] == b"\n"
        assert bool(found.notes) is not clean, whole[:cut]
    assert revisions == sorted(revisions)
    assert set(revisions) == {0, 1, 2, 3, 4}


def test_a_cut_line_is_told_with_its_place(world, journal):
    sell(world, journal, end=False)
    journal.write_bytes(journal.read_bytes()[:-20])
    assert fold(journal).notes == (f"{journal}:6: the line is cut, so it was left out",)
    assert fold(journal).revision == 3


def test_a_second_run_is_appended_and_counts_alone(world, journal):
    sell(world, journal, end=False)
    journal.write_bytes(before := journal.read_bytes()[:-20])
    expected = sell(world, journal, run_index=1)
    assert journal.read_bytes().startswith(before)
    found = fold(journal)
    assert found.snapshot == expected
    assert (found.run_index, found.ended) == (1, "passed")
    assert [note.partition(": ")[2] or note for note in found.notes] == [
        "the line is cut, so it was left out",
        f"{journal} holds 2 runs; this is the state of the last one",
    ]


def test_each_run_of_a_journal_can_be_had(world, journal):
    first = sell(world, journal)
    with Environment(world, run_index=1) as run:
        run.finally_(StateJournal(journal, run.world, run_index=1).close)
        second = run.world.snapshot()
    assert first != second
    found = fold(journal, run=1)
    assert (found.snapshot, found.run_index, found.ended, found.run, found.runs) == (first, 0, "passed", 1, 2)
    assert found.notes == (f"{journal} holds 2 runs; this is the state of run 1",)
    found = fold(journal, run=2)
    assert (found.snapshot, found.run_index, found.ended, found.run, found.runs) == (second, 1, None, 2, 2)
    assert fold(journal) == found
    with pytest.raises(UsageError, match=r"there is no run 3 in .*, which holds 2 runs\n    They count from 1"):
        fold(journal, run=3)


def test_what_a_run_has_that_the_last_one_of_the_file_had_not_is_told(world, journal):
    def differs(seed=0, run_index=0):
        with Environment(world, seed=seed, run_index=run_index) as run:
            written = StateJournal(journal, run.world, run_index=run_index)
            run.finally_(written.close)
            return written.differs

    behind = "; this one begins afresh, behind it"
    assert differs() is None
    assert differs() is None
    assert differs(seed=7, run_index=2) == f"the last run in {journal} had seed 0, run 0{behind}"
    assert differs(seed=7, run_index=2) is None
    world.write_text(WORLD + "# changed\n", encoding="utf-8")
    assert differs(7, 2) == f"the last run in {journal} had another content of the world's file{behind}"
    world.write_text(WORLD.replace("name: till", "name: shop"), encoding="utf-8")
    assert differs(7, 2) == f"the last run in {journal} had the world till{behind}"
    assert fold(journal).runs == 6


@pytest.mark.parametrize("line", [b"nonsense\n", b'{"rev":1,"t":0.5,"tab\n', b"\n", b"[1]\n"])
def test_a_whole_last_line_that_is_bad_is_no_cut_one(world, journal, line):
    sell(world, journal, end=False)
    journal.write_bytes(journal.read_bytes() + line)
    with pytest.raises(UsageError, match=rf"{journal.name}:7: this is no line of a state journal"):
        fold(journal)
    journal.write_bytes(journal.read_bytes()[:-1] + b"?")
    assert fold(journal).notes == (f"{journal}:7: the line is cut, so it was left out",)


def test_what_comes_after_the_end_is_not_written(world, journal):
    with Environment(world) as run:
        written = StateJournal(journal, run.world)
        written.end("passed", 0)
        written.end("failed", 0)
        run.tools.sell(amount=1)
    assert fold(journal).ended == "passed"
    assert fold(journal).revision == 0


def changed(world, journal, change):
    sell(world, journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    change(lines)
    journal.write_bytes(b"".join(lines))
    with pytest.raises(UsageError) as wrong:
        fold(journal)
    return str(wrong.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines.pop(3), ":4: revision 3 follows 1: lines are missing"),
        (lambda lines: lines.pop(0), ":1: this is no line of a state journal"),
        (lambda lines: lines.insert(2, b"nonsense\n"), ":3: this is no line of a state journal"),
        (lambda lines: lines.insert(2, b"[" * 100_000 + b"\n"), ":3: this is no line of a state journal"),
        (lambda lines: lines.insert(2, b'{"rev":1,"table":"x.y","row":{},"id":"1"}\n'), ":3: this is no line"),
        (lambda lines: lines.pop(5), ":6: the run counts 4 effects, not 3"),
        (lambda lines: lines.append(lines[-1]), ":8: there is a line after the end of the run"),
        (lambda lines: lines.__setitem__(0, lines[0].replace(b'"journal":1', b'"journal":9')), "format 9 is not known"),
        (lambda lines: lines.__setitem__(0, b'{"journal":1}\n'), ":1: this line names no world, digest"),
        (lambda lines: lines.clear(), "is empty"),
    ],
)
def test_what_is_no_journal_is_refused_with_its_line(world, journal, change, message):
    assert message in changed(world, journal, change)


def test_a_file_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read .*none.jsonl.*No such file"):
        fold(tmp_path / "none.jsonl")


def test_a_journal_that_cannot_be_written_is_a_clear_error(world, tmp_path):
    with Environment(world) as run, pytest.raises(UsageError, match=r"cannot write the state to .*No such file"):
        StateJournal(tmp_path / "no" / "state.jsonl", run.world)


def test_whether_a_journal_can_be_written_is_told_and_leaves_nothing_behind(world, journal, tmp_path):
    check(journal)
    assert not journal.exists()
    sell(world, journal)
    before = journal.read_bytes()
    check(journal)
    assert journal.read_bytes() == before
    with pytest.raises(UsageError, match=r"cannot write the state to .*No such file"):
        check(tmp_path / "no" / "state.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is full is a device of Linux")
def test_a_disk_that_is_full_is_a_clear_error(world):
    with Environment(world) as run, pytest.raises(UsageError, match=r"cannot write the state to '/dev/full': No space"):
        StateJournal("/dev/full", run.world)


def test_nothing_follows_what_could_not_be_written(world, journal, monkeypatch):
    told: list[str] = []
    with Environment(world) as run:
        written = StateJournal(journal, run.world)
        written.at_break = told.append
        run.tools.sell(amount=1)
        whole = written._file
        monkeypatch.setattr(written, "_file", journal.open("rb"))
        run.tools.sell(amount=2)
        monkeypatch.setattr(written, "_file", whole)
        whole.close()
        run.tools.sell(amount=3)
    assert told == [written.broken]
    assert fold(journal).revision == 1
