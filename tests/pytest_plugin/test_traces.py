from __future__ import annotations

import os
from pathlib import Path

import pytest

from squall.errors import UsageError
from squall.pytest_plugin.traces import make_folder, trace_path

OUT = Path("out")


def name(group, index=0, worker=None):
    return trace_path(OUT, group, index, worker).name


def test_a_trace_is_named_after_its_run():
    assert trace_path(OUT, "tests/test_a.py::TestX::test_y[case]", 3) == Path(
        "out/tests-test_a.py--TestX--test_y--case--run0003.jsonl"
    )
    assert name("test_a.py::test_y", None) == "test_a.py--test_y.jsonl"


def test_no_name_is_a_pattern_and_runs_sort_by_their_number():
    names = [name("t.py::test_x[a-b]", index) for index in (0, 2, 10, 100)]
    assert names == sorted(names)
    assert not any(set(each) & set("[]*? ") for each in names)


def test_workers_that_do_the_same_runs_write_files_of_their_own():
    assert name("t.py::test_x", 1, "gw0") == "t.py--test_x--run0001--gw0.jsonl"
    assert name("t.py::test_x", 1, "gw1") != name("t.py::test_x", 1, "gw0")


def test_what_looks_alike_without_its_odd_characters_is_kept_apart_by_a_digest():
    odd = [f"t.py::test_x[{case}]" for case in ("a/b", "a b", "a:b", "a-b", "a--b", "a\u00e9b", "a]b", "a*b")]
    odd += ["a/t.py::test_x", "a-t.py::test_x"]
    assert len({name(each) for each in odd}) == len(odd)
    assert all(name(each).isascii() and not set(name(each)) & set("/: []*") for each in odd)


def test_a_long_name_keeps_its_two_ends_and_its_run_and_is_its_own():
    first, second = (name(f"tests/t.py::test_x[{'x' * 300}{end}]", 7) for end in ("-timeout", "-http_503"))
    assert first.startswith("tests-t.py--test_x--xxx")
    assert first.endswith("--run0007.jsonl")
    assert "-timeout-" in first
    assert first != second
    assert len({name(f"t.py::test_x[{'x' * 200}{each}{'x' * 200}]") for each in "ab"}) == 2
    assert len(first) < 160


def test_a_folder_is_made_where_there_is_none(tmp_path):
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_where_no_trace_can_be_written_is_told(tmp_path, monkeypatch):
    (tmp_path / "f").write_text("")
    with pytest.raises(UsageError, match="f is a file, not a folder\n    Name a folder; it is made if"):
        make_folder(tmp_path / "f")
    with pytest.raises(UsageError, match="f/below cannot be made: Not a directory"):
        make_folder(tmp_path / "f" / "below")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UsageError, match="cannot be written to"):
        make_folder(tmp_path)


def test_a_session_with_such_a_folder_ends_before_anything_runs(session, pytester):
    (pytester.path / "f").write_text("")
    done = session("def test_it(trace): raise SystemError('it ran')", "--squall-traces=f", apart=True)
    assert done.ret == 4
    assert "f is a file, not a folder" in done.text
    assert "it ran" not in done.text
    assert "Traceback" not in done.text


def test_all_workers_of_each_kind_of_distribution_keep_their_traces(session, shop, pytester):
    code = """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.runs(2)
        def test_it(tools): tools.get_order(id="1")
    """
    session(code, "-n2", "--dist=each", "--squall-traces=each", apart=True)
    session(code, "-n2", "--squall-traces=load", apart=True)
    folder = pytester.path
    assert sorted(path.name for path in (folder / "each").iterdir()) == [
        f"test_it.py--test_it--run000{run}--gw{worker}.jsonl" for run in (0, 1) for worker in (0, 1)
    ]
    assert sorted(path.name for path in (folder / "load").iterdir()) == [
        f"test_it.py--test_it--run000{run}.jsonl" for run in (0, 1)
    ]
