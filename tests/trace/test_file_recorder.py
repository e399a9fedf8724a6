"""A trace that is written into its file while the run goes on."""

from __future__ import annotations

import io
from io import FileIO
from itertools import count
from typing import cast

import pytest

from squall.errors import UsageError
from squall.runs.environment import Environment
from squall.trace import FileRecorder, Recorder, Trace, verify
from squall.trace.kinds import Mark, RunEnd

WORLD = """\
name: till
services:
  till:
    records: { sale: { id: str, amount: float } }
    operations: { sell: { kind: create, record: sale } }
"""


def told(recorder, number=3):
    for each in range(number):
        recorder.record(Mark(name=f"m{each}"))
    recorder.end(lambda events: RunEnd(status="passed", count=events))


def clock():
    ticks = count()
    return lambda: next(ticks) / 2


def test_the_file_holds_what_a_recorder_in_memory_holds(tmp_path):
    inside, outside = Recorder("r#0", clock()), FileRecorder("r#0", clock(), tmp_path / "trace.jsonl")
    told(inside)
    told(outside)
    assert (tmp_path / "trace.jsonl").read_bytes().splitlines() == inside.lines
    assert outside.lines == []
    assert (outside.head, outside.count) == (inside.head, inside.count) == (verify(tmp_path / "trace.jsonl").head, 4)


def test_each_event_is_there_at_once(tmp_path):
    path = tmp_path / "trace.jsonl"
    recorder = FileRecorder("r#0", clock(), path)
    for number in range(1, 4):
        recorder.record(Mark(name="m"))
        assert len(path.read_bytes().splitlines()) == number
    told(recorder, 0)
    recorder.record(Mark(name="too late"))
    assert len(Trace.load(path)) == 4


def test_an_earlier_trace_is_kept_under_another_name(tmp_path):
    path = tmp_path / "trace.jsonl"
    for name in "abc":
        told(FileRecorder(f"{name}#0", clock(), path))
    runs = {each.name: verify(each).run for each in tmp_path.iterdir()}
    assert runs == {"trace.jsonl.1": "a#0", "trace.jsonl.2": "b#0", "trace.jsonl": "c#0"}


def test_a_file_that_cannot_be_written_is_a_clear_error(tmp_path):
    with pytest.raises(UsageError, match=r"cannot write the trace to .*trace\.jsonl.*No such file"):
        FileRecorder("r#0", clock(), tmp_path / "no" / "trace.jsonl")


def test_what_can_be_written_no_more_is_an_error_or_told_to_whoever_wants_to_know(tmp_path):
    recorder = FileRecorder("r#0", clock(), tmp_path / "trace.jsonl")
    recorder.record(Mark(name="whole"))
    recorder._file.close()
    recorder._file = (tmp_path / "trace.jsonl").open("rb", buffering=0)  # which cannot be written
    with pytest.raises(OSError, match="not open for writing"):
        recorder.record(Mark(name="lost"))
    heard: list[str] = []
    recorder.at_break = heard.append
    told(recorder)
    assert heard == [recorder.broken]
    assert heard[0].startswith(f"cannot write the trace to '{tmp_path / 'trace.jsonl'}'")
    assert len(Trace.load(tmp_path / "trace.jsonl")) == 1


def test_a_line_of_which_a_disk_takes_a_part_is_written_to_its_end(tmp_path):
    recorder = FileRecorder("r#0", clock(), tmp_path / "trace.jsonl")
    whole = recorder._file

    class Hesitant(io.RawIOBase):
        def write(self, data):
            return whole.write(bytes(data)[:7])

    recorder._file = cast("FileIO", Hesitant())
    recorder.record(Mark(name="m"))
    recorder._file = whole
    told(recorder, 0)
    assert verify(tmp_path / "trace.jsonl").events == 2


def test_a_run_can_be_recorded_into_a_file(tmp_path):
    world, path = tmp_path / "till.yaml", tmp_path / "trace.jsonl"
    world.write_text(WORLD, encoding="utf-8")
    with Environment(world, record=path) as run:
        run.tools.sell(amount=1)
        assert len(run.trace) == 0
    assert run.result is not None
    assert run.result.status == verify(path).status == "passed"
    assert Trace.load(path).line() == "sell"
