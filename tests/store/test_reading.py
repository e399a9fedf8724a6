"""Runs read back from whatever folders a person names, in one order."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from squall.errors import UsageError
from squall.store import Runs, read_runs
from squall.store.record import encode


@pytest.fixture
def kept(tmp_path, made):
    """Store runs of some seeds in a folder."""

    def keep(name, *seeds, **what):
        with Runs(tmp_path / name) as runs:
            return runs.keep_all(made(seed, **what) for seed in seeds)

    return keep


def seeds(*paths):
    return [stored.record.seed for stored in read_runs(paths)]


def problems(*paths):
    with pytest.raises(UsageError) as caught:
        read_runs(paths)
    return caught.value.problems


def test_a_folder_of_runs_a_run_and_a_folder_that_holds_several_are_read(tmp_path, kept):
    (one, *_) = kept("all/today", 3, 1)
    kept("all/yesterday", 2)
    assert seeds(tmp_path / "all" / "today") == [1, 3]
    assert seeds(one) == [3]
    assert seeds(tmp_path / "all") == [1, 2, 3]


def test_folders_named_twice_are_read_once(tmp_path, kept, monkeypatch):
    (one, *_) = kept("runs", 3, 1)
    monkeypatch.chdir(tmp_path)
    assert seeds(tmp_path / "runs", one, one.relative_to(tmp_path), tmp_path) == [1, 3]


def test_the_same_run_in_two_folders_is_two_runs_in_a_stable_order(tmp_path, kept):
    kept("b", 1)
    kept("a", 1)
    places = [stored.folder.parent.name for stored in read_runs([tmp_path / "b", tmp_path / "a"])]
    assert places == ["a", "b"]


def test_a_run_tells_its_folder_and_its_trace(kept, made):
    (folder,) = kept("runs", 1)
    (stored,) = read_runs([folder])
    assert (stored.record, stored.folder) == (made(1)[0], folder)
    assert stored.trace.read_bytes().startswith(made(1)[1][0])


def test_what_is_hidden_or_no_run_is_passed_over(tmp_path, kept):
    (folder,) = kept("runs", 1)
    shutil.copytree(folder, tmp_path / "runs" / ".writing-x" / "1-half")
    (tmp_path / "runs" / "notes").mkdir()
    (tmp_path / "runs" / "report.html").write_text("", encoding="utf-8")
    assert seeds(tmp_path / "runs") == [1]


def test_what_lies_deeper_is_not_looked_for(tmp_path, kept):
    kept("a/b/c", 1)
    assert seeds(tmp_path / "a" / "b") == [1]
    assert "there is no run in" in problems(tmp_path / "a")[0].message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "No such file or directory"),
        ("file", "is a file, and runs are folders"),
        ("empty", "nor in the folders two levels down"),
    ],
)
def test_a_path_without_a_run_says_what_was_looked_for(tmp_path, name, message):
    (tmp_path / "file").write_text("{}", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (problem,) = problems(tmp_path / name)
    assert message in problem.message
    assert str(tmp_path / name) in problem.message
    assert problem.hint.startswith("A run is a folder with run.json and trace.jsonl")


def test_all_that_is_wrong_is_told_at_once_where_it_is(tmp_path, kept, made):
    edited, gone, _ = kept("runs", 1, 2, 3)
    data = (edited / "run.json").read_bytes()
    (edited / "run.json").write_bytes(data.replace(b"true", b"null"))
    (gone / "run.json").unlink()
    first, *others = problems(tmp_path / "nowhere", tmp_path / "runs")
    assert "nowhere" in first.message
    assert sorted(problem.message for problem in others) == sorted(
        [
            f"{edited / 'run.json'}: it was changed: its seal does not match its bytes",
            f"{gone / 'run.json'}: No such file or directory",
        ]
    )
    assert {problem.hint for problem in others} == {
        f"Remove the folder, or restore it; `squall verify {folder}` looks at its trace too."
        for folder in (edited, gone)
    }


def test_a_long_list_of_what_is_wrong_is_cut(tmp_path, kept):
    for folder in kept("runs", *range(30)):
        (folder / "run.json").write_bytes(b"{}")
    found = problems(tmp_path / "runs")
    assert len(found) == 21
    assert found[-1].message == "and 10 more like these"


def test_a_run_of_a_later_format_says_so(kept, made):
    (folder,) = kept("runs", 1)
    (folder / "run.json").write_bytes(encode(msgspec.structs.replace(made(1)[0], v=2)))
    (problem,) = problems(folder)
    assert problem.message.endswith("run format 2 is not known; this squall reads 1")
