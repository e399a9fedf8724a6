"""`squall verify`: a chain that holds, or the first bad line and why."""

from __future__ import annotations

import pytest

from squall.runs.environment import Environment
from squall.store.regressions import FaultAt, Regression
from squall.store.regressions import write as write_failure


@pytest.fixture
def trace(write, good, tmp_path):
    with Environment(good, run_index=3) as run:
        for amount in (1.0, 2.0, 3.0):
            run.tools.sell(amount=amount)
    run.trace.write(tmp_path / "run.jsonl")
    return tmp_path / "run.jsonl"


def test_a_chain_that_holds(squall, trace):
    done = squall("verify", "run.jsonl")
    assert done.status == 0
    assert done.out.startswith("run.jsonl: the chain holds: 11 events of good#3, passed, head ")
    assert done.err == ""


@pytest.mark.parametrize(
    ("edit", "line", "why"),
    [
        (lambda lines: [*lines[:4], lines[4].replace(b"2.0", b"9.0"), *lines[5:]], 5, "the line was changed"),
        (lambda lines: [*lines[:4], *lines[5:]], 5, "a line was removed, inserted or moved"),
        (lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]], 5, "a line was removed, inserted or moved"),
        (lambda lines: [*lines[:4], lines[3], *lines[4:]], 5, "a line was removed, inserted or moved"),
        (lambda lines: lines[:-1], 10, "the trace is truncated: it has no run_end"),
        (lambda lines: [*lines, lines[-1]], 12, "there is a line after run_end"),
        (lambda lines: [], 1, "the file is empty"),
        (lambda lines: [b"hello\n", *lines], 1, "this is not an event of trace format 1"),
    ],
)
def test_the_first_bad_line_and_why(squall, trace, edit, line, why):
    trace.write_bytes(b"".join(edit(trace.read_bytes().splitlines(keepends=True))))
    done = squall("verify", "run.jsonl")
    assert done.status == 1
    assert done.err.startswith(f"run.jsonl:{line}: {why}")
    assert done.out == ""


def test_a_text_file_is_no_trace(squall, write):
    done = squall("verify", write("notes.txt", "hello\n"))
    assert done.status == 1
    assert done.err.startswith("notes.txt:1: this is not an event of trace format 1")


def test_the_file_of_a_failure_is_no_trace_and_replay_is_named(squall, tmp_path):
    fault = FaultAt("timeout", "after", "tool", "shop.sell", "d", 1, 1)
    path = write_failure(Regression("test_a.py::test_a", "boom", "failed", (fault,), "pytest …"), tmp_path)
    done = squall("verify", str(path))
    assert (done.status, done.out) == (1, "")
    assert done.err.endswith("It is the file of a failure and no trace: `squall replay` runs it again.\n")


def test_a_missing_file_is_wrong_input(squall, write):
    done = squall("verify", "nowhere.jsonl")
    assert done.status == 2
    assert done.err.startswith("error: cannot read 'nowhere.jsonl': No such file or directory")
    assert "Traceback" not in done.err


def test_every_file_is_looked_at(squall, trace, write):
    write("notes.txt", "hello\n")
    done = squall("verify", "notes.txt", "run.jsonl")
    assert done.status == 1
    assert "run.jsonl: the chain holds" in done.out
    assert "notes.txt:1:" in done.err
