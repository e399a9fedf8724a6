"""`squall state`: a journal's end state on standard output, and what is to be known of it on standard error."""

from __future__ import annotations

import json

import pytest

HEAD = '{"journal":1,"squall":"0","world":"till","digest":"d","seed":0,"run_index":0}\n'
ROWS = '{"table":"till.sale","rows":{"1":{"id":"1","amount":5.0}}}\n'
EFFECT = (
    '{"rev":1,"t":0.1,"table":"till.sale","op":"insert","id":"2","row":{"id":"2","amount":7.0},"call":1,"tool":"s"}\n'
)
END = '{"end":"passed","revision":1}\n'


def test_the_rows_are_printed_as_json(squall, write):
    done = squall("state", write("state.jsonl", HEAD + ROWS + EFFECT + END))
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == {"till.sale": {"1": {"id": "1", "amount": 5.0}, "2": {"id": "2", "amount": 7.0}}}


def test_a_cut_journal_is_printed_and_said_to_be_cut(squall, write):
    done = squall("state", write("state.jsonl", HEAD + ROWS + EFFECT[:-30]))
    assert done.status == 0
    assert list(json.loads(done.out)["till.sale"]) == ["1"]
    assert "state.jsonl:3: the line is cut, so it was left out" in done.err
    assert "this run has not ended: it goes on, or it was killed" in done.err


def test_an_earlier_run_can_be_had(squall, write):
    journal = write("state.jsonl", HEAD + ROWS + EFFECT + HEAD + ROWS + END.replace("1", "0"))
    last = squall("state", journal)
    assert list(json.loads(last.out)["till.sale"]) == ["1"]
    assert last.err == "state.jsonl holds 2 runs; this is the state of the last one\n"
    first = squall("state", journal, "--run", "1")
    assert list(json.loads(first.out)["till.sale"]) == ["1", "2"]
    assert first.err.splitlines() == [
        "state.jsonl holds 2 runs; this is the state of run 1",
        "state.jsonl: this run has not ended: it was killed",
    ]
    none = squall("state", journal, "--run", "3")
    assert (none.status, none.out) == (2, "")
    assert "there is no run 3 in 'state.jsonl', which holds 2 runs" in none.err


def test_what_is_no_journal_is_wrong_input(squall, write):
    done = squall("state", write("state.jsonl", "name: shop\n"))
    assert (done.status, done.out) == (2, "")
    assert "error: state.jsonl:1: this is no line of a state journal" in done.err
    assert squall("state", "none.jsonl").status == 2


@pytest.mark.parametrize("command", ["state", "replay", "verify", "judge"])
def test_a_misspelt_name_of_a_file_is_told_the_nearest(squall, write, command):
    write("state.jsonl", HEAD)
    done = squall(command, "statee.jsonl")
    assert done.status == 2
    assert "did you mean 'state.jsonl'?" in done.err
