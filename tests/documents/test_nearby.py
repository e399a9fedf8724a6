"""The file that was meant, where a path names none."""

from __future__ import annotations

import os

import pytest

from squall.documents.nearby import near
from squall.errors import UsageError
from squall.store import fold, read_runs, regressions
from squall.store.heads import read_heads
from squall.trace import Trace
from squall.trace.formats.reading import load


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "first").mkdir(parents=True)
    (tmp_path / "runs" / "state.jsonl").touch()
    (tmp_path / ".squall").mkdir()
    (tmp_path / "state.jsonl").touch()
    (tmp_path / "state.json").touch()


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("statee.jsonl", "state.jsonl"),
        ("state.jsn", "state.json"),
        ("run", "runs"),
        ("runs/frist", "runs/first"),
        ("rusn/state.jsonl", "runs/state.jsonl"),
        ("rusn/other.jsonl", None),
        ("squall", None),
        (".squal", ".squall"),
        ("state.jsonl", None),
        ("state.jsonl/x", None),
        ("nothing at all", None),
        ("", None),
        ("x" * 5000, None),
        ("x\0", None),
    ],
)
def test_it_is_the_one_beside_it_whose_name_is_nearly_the_same(path, meant):
    assert near(path) == (meant and meant.replace("/", os.sep))


@pytest.mark.parametrize("read", [fold, regressions.read, Trace.load, load, lambda name: read_heads([name])])
def test_whatever_reads_a_file_names_the_one_that_was_meant(read, tmp_path):
    with pytest.raises(UsageError, match=r"; did you mean '.*state\.jsonl'\?"):
        read(str(tmp_path / "statee.jsonl") if read is not regressions.read else tmp_path / "statee.jsonl")


def test_whatever_reads_runs_names_the_folder_that_was_meant(tmp_path):
    with pytest.raises(UsageError, match=r"; did you mean '.*runs'\?"):
        read_runs([tmp_path / "rnus"])
