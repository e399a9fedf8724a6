"""squall's own traces, one or several in a file."""

from __future__ import annotations

import pytest

from squall.errors import UsageError
from squall.trace import Recorder
from squall.trace.formats import load
from squall.trace.kinds import Mark, RunEnd, RunStart


def recorded(name, *marks, ended=True):
    recorder = Recorder(name, lambda: 0.5)
    recorder.record(RunStart(squall="0", seed=0, run_index=0, clock="virtual", start="2025-06-01T00:00:00Z"))
    for mark in marks:
        recorder.record(Mark(name=mark))
    if ended:
        recorder.end(lambda count: RunEnd(status="passed", count=count))
    return recorder.lines


def written(path, *runs):
    path.write_bytes(b"".join(line + b"\n" for lines in runs for line in lines))
    return path


def test_a_trace_comes_back_byte_by_byte(tmp_path):
    lines = recorded("a#0", "x", "ü")
    (trace,) = load(written(tmp_path / "t.jsonl", lines))
    assert list(trace.lines) == lines


def test_several_runs_in_one_file_are_told_apart_also_where_one_was_cut(tmp_path):
    runs = [recorded("a#0", "x"), recorded("b#0", ended=False), recorded("b#0", "y", ended=False), recorded("a#0")]
    assert [list(trace.lines) for trace in load(written(tmp_path / "t.jsonl", *runs))] == runs


def test_a_line_that_is_none_is_told_with_its_place(tmp_path):
    path = written(tmp_path / "t.jsonl", recorded("a#0", "x"), [b'{"role": "user"}'])
    with pytest.raises(UsageError, match=r"t.jsonl:4: this is not an event of trace format 1"):
        load(path)
