from __future__ import annotations

from pathlib import Path

from squall.pytest_plugin.traces import trace_path


def name(nodeid):
    return trace_path(Path("out"), nodeid).name


def test_a_trace_is_named_after_its_run():
    assert trace_path(Path("out"), "tests/test_a.py::TestX::test_y[case-run3]") == Path(
        "out/tests-test_a.py--TestX--test_y[case-run3].jsonl"
    )


def test_what_no_file_can_be_called_is_kept_apart_by_a_digest():
    odd = ["t.py::test_x[a/b-run0]", "t.py::test_x[a b-run0]", "t.py::test_x[a:b-run0]", "t.py::test_x[a-b-run0]"]
    assert len({name(each) for each in odd}) == len(odd)
    assert not any(set(name(each)) & set("/: ") for each in odd)


def test_a_long_name_is_cut_and_still_its_own():
    first, second = (name(f"t.py::test_x[{'x' * 300}{end}-run0]") for end in "ab")
    assert first != second
    assert len(first) < 200
