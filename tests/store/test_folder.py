"""The folder of runs: what is stored is found, once, under its full hash."""

from __future__ import annotations

import os
import threading

import msgspec
import pytest

from squall.errors import UsageError
from squall.store import Runs
from squall.store.naming import folder_names
from squall.store.record import encode
from squall.store.whole import verify_run


@pytest.fixture
def runs(folder):
    with Runs(folder) as runs:
        yield runs


def find(runs, record):
    return runs.find(record.hash, record.scenario, record.strategy)


def colliding(record, digits):
    """Another run whose hash begins with the same digits."""
    return msgspec.structs.replace(record, hash=record.hash[:digits] + "f" * (64 - digits))


def test_a_folder_is_made_with_those_above_it(tmp_path):
    Runs(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_a_run_that_was_kept_is_whole_and_found(runs, made, listed):
    record, lines = made()
    folder = runs.keep(record, lines)
    assert folder == runs.folder / f"timeout-baseline-{record.hash[:12]}"
    assert listed(folder) == ["run.json", "trace.jsonl"]
    assert find(runs, record) == record
    assert verify_run(folder).record == record
    assert runs.trace_of(record).read_bytes() == b"".join(line + b"\n" for line in lines)


def test_a_run_that_was_not_kept_is_not_found(runs, made):
    assert find(runs, made()[0]) is None
    with pytest.raises(UsageError, match=r"the run timeout-baseline-[0-9a-f]{12} is not in"):
        runs.trace_of(made()[0])


def test_the_same_run_again_writes_nothing(runs, made):
    record, lines = made()
    folder = runs.keep(record, lines)
    before = {path: path.stat().st_mtime_ns for path in (*folder.iterdir(), folder)}
    assert runs.keep(msgspec.structs.replace(record, answered="something else"), lines) == folder
    assert {path: path.stat().st_mtime_ns for path in (*folder.iterdir(), folder)} == before


def test_a_run_that_differs_in_anything_has_a_folder_of_its_own(runs, made, listed):
    runs.keep_all([made(0), made(1), made(0, sample=1), made(0, run_index=1), made(0, strategy="resilient")])
    runs.close()
    assert len(listed(runs.folder)) == 5


def test_nothing_but_whole_runs_is_left_when_it_closes(folder, made, listed):
    with Runs(folder) as runs:
        name = runs.keep(*made()).name
        assert len(listed(folder)) == 2
    assert listed(folder) == [name]


def test_it_may_be_used_again_after_it_was_closed(runs, made):
    runs.keep(*made(0))
    runs.close()
    assert runs.keep(*made(1)).is_dir()


def test_hashes_that_begin_alike_get_a_longer_name(runs, made):
    record, lines = made()
    other = colliding(record, 12)
    folders = runs.keep_all([(record, lines), (other, lines)])
    assert [folder.name for folder in folders] == [record.name(), other.name(24)]
    assert (find(runs, record), find(runs, other)) == (record, other)


def test_the_full_hash_is_compared_where_names_are_alike(runs, made):
    record, lines = made()
    runs.keep(record, lines)
    assert find(runs, colliding(record, 12)) is None


def test_three_runs_that_begin_alike_are_all_kept(runs, made):
    record, lines = made()
    three = [record, colliding(record, 24), colliding(record, 30)]
    assert [runs.keep(each, lines).name.rpartition("-")[2] for each in three] == [
        three[0].hash[:12],
        three[1].hash[:24],
        three[2].hash,
    ]
    assert [find(runs, each) for each in three] == three


@pytest.mark.parametrize("damage", ["run.json", "trace.jsonl", "edited", "emptied"])
def test_a_damaged_run_is_not_found_and_not_overwritten(runs, made, damage):
    record, lines = made()
    folder = runs.keep(record, lines)
    if damage == "edited":
        (folder / "run.json").write_bytes(encode(record).replace(b'"met": true', b'"met": null'))
    elif damage == "emptied":
        (folder / "trace.jsonl").write_bytes(b"")
    else:
        (folder / damage).unlink()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert find(runs, record) is None
    again = runs.keep(record, lines)
    assert again.name == f"timeout-baseline-{record.hash[:24]}"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert find(runs, record) == record


def test_when_every_name_is_taken_that_is_told(runs, made):
    record, lines = made()
    for name in folder_names("timeout", "baseline", record.hash):
        (runs.folder / name).write_text("not a run", encoding="utf-8")
    with pytest.raises(UsageError, match=r"all names for the run timeout-baseline-[0-9a-f]{12} are taken"):
        runs.keep(record, lines)


@pytest.mark.parametrize("name", ["../../escape", "a/b", "..", "", "x" * 300, "Café ✓", "支払い", "-rf", "nul\x00"])
def test_a_name_of_any_kind_stays_in_the_folder_and_the_record_keeps_it(tmp_path, runs, made, name):
    record, lines = made(scenario=name, strategy=name)
    folder = runs.keep(record, lines)
    assert folder.parent == runs.folder
    assert find(runs, record).scenario == name
    assert verify_run(folder).record.strategy == name
    assert list(tmp_path.iterdir()) == [runs.folder]


def test_two_names_with_one_slug_do_not_meet(runs, made):
    one, other = made(scenario="a/b"), made(scenario="a b")
    folders = runs.keep_all([one, other])
    assert folders[0].name.rpartition("-")[0] == folders[1].name.rpartition("-")[0]
    assert (find(runs, one[0]), find(runs, other[0])) == (one[0], other[0])


def test_all_runs_come_in_one_order_however_they_were_kept(runs, made):
    wanted = [
        made(seed, scenario=scenario, strategy=strategy, run_index=index, sample=sample)[0]
        for scenario in ("a", "b")
        for strategy in ("x", "y")
        for seed in (-1, 2, 10)
        for index, sample in ((0, 0), (0, 1), (1, 0))
    ]
    lines = made()[1]
    runs.keep_all((record, lines) for record in reversed(wanted))
    assert list(runs) == wanted


def test_an_empty_folder_has_no_runs(runs):
    assert list(runs) == []


def test_threads_may_share_it(runs, made):
    threads = [
        threading.Thread(target=lambda part=part: runs.keep_all(made(seed) for seed in range(part, part + 8)))
        for part in (0, 4, 8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(record.seed for record in runs) == list(range(16))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")  # threads that other tests have left
def test_a_fork_writes_in_a_place_of_its_own(runs, made, listed):
    runs.keep(*made(0))
    child = os.fork()
    if child == 0:
        runs.keep(*made(1))
        runs.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    runs.keep(*made(2))
    runs.close()
    assert sorted(record.seed for record in runs) == [0, 1, 2]
    assert len(listed(runs.folder)) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")  # threads that other tests have left
def test_processes_that_store_the_same_runs_at_once_store_each_of_them_once(folder, made, listed):
    every, children = [made(seed) for seed in range(20)], []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            with Runs(folder) as mine:
                kept = mine.keep_all(every)
            os._exit([path.name for path in kept] != [record.name() for record, _ in every])
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert listed(folder) == sorted(record.name() for record, _ in every)
    assert [verify_run(path).record.scenario for path in folder.iterdir()] == ["timeout"] * 20
