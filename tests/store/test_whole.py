"""A stored run that is not as it was written is found out, and told where."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.store import Runs
from squall.store.record import RunRecord, encode
from squall.store.whole import BrokenRun, verify_run
from squall.trace.line import GENESIS, seal

light = settings(max_examples=60, deadline=None)


class Case(NamedTuple):
    """One stored run, and a way to look at it with other bytes in a file."""

    record: RunRecord
    lines: list[bytes]
    folder: Path
    reasons: Callable[..., list[str]]
    bytes: dict[str, Any]


@pytest.fixture(scope="module")
def case(tmp_path_factory, made):
    with Runs(tmp_path_factory.mktemp("whole")) as runs:
        record, lines = made(4, events=3)
        folder = runs.keep(record, lines)
    whole = {name: (folder / name).read_bytes() for name in ("run.json", "trace.jsonl")}

    def reasons(**changed):
        files = {f"{name}.json{'l' if name == 'trace' else ''}": data for name, data in changed.items()}
        try:
            for name, data in files.items():
                (folder / name).write_bytes(data)
            with pytest.raises(BrokenRun) as caught:
                verify_run(folder)
        finally:
            for name in files:
                (folder / name).write_bytes(whole[name])
        return [reason.removeprefix(f"{folder}/") for reason in caught.value.reasons]

    return Case(record, lines, folder, reasons, whole)


FILES = st.sampled_from(["run.json", "trace.jsonl"])


def changed(case, file, data):
    """What is wrong when one file has other bytes: it must be told of that file alone."""
    found = case.reasons(**{file.partition(".")[0]: data})
    assert all(reason.startswith(file) for reason in found)
    return found


def test_a_run_as_it_was_written_gives_its_head_and_its_seal(case):
    found = verify_run(case.folder)
    assert (found.record, found.folder, found.head) == (case.record, case.folder, case.record.head)
    assert found.seal == hashlib.sha256(case.bytes["run.json"][79:]).hexdigest()


@light
@given(file=FILES, at=st.floats(0, 1, exclude_max=True), by=st.integers(1, 255))
def test_any_byte_changed_is_found(case, file, at, by):
    data = case.bytes[file]
    place = int(at * len(data))
    assert changed(case, file, data[:place] + bytes([data[place] ^ by]) + data[place + 1 :])


@light
@given(file=FILES, at=st.floats(0, 1), byte=st.integers(0, 255) | st.sampled_from(b'\n \r}"'))
def test_any_byte_put_in_is_found(case, file, at, byte):
    data = case.bytes[file]
    place = int(at * len(data))
    assert changed(case, file, data[:place] + bytes([byte]) + data[place:])


@light
@given(file=FILES, at=st.floats(0, 1, exclude_max=True), many=st.integers(1, 300))
def test_any_bytes_taken_out_are_found(case, file, at, many):
    data = case.bytes[file]
    place = int(at * len(data))
    assert changed(case, file, data[:place] + data[place + many :])


@light
@given(file=FILES, data=st.data())
def test_any_line_dropped_or_doubled_or_swapped_with_another_is_found(case, file, data):
    lines = case.bytes[file].splitlines(keepends=True)
    place, other = data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=2, max_size=2, unique=True))
    swapped = [*lines]
    swapped[place], swapped[other] = lines[other], lines[place]
    for edited in (lines[:place] + lines[place + 1 :], [*lines[: place + 1], *lines[place:]], swapped):
        if edited != lines:
            assert changed(case, file, b"".join(edited))


@pytest.mark.parametrize("file", ["run.json", "trace.jsonl"])
def test_a_file_that_is_gone_is_told(case, file):
    (case.folder / file).rename(case.folder / "aside")
    try:
        with pytest.raises(BrokenRun) as caught:
            verify_run(case.folder)
    finally:
        (case.folder / "aside").rename(case.folder / file)
    assert str(caught.value) == f"{case.folder / file}: No such file or directory"
    assert caught.value.folder == case.folder


def test_what_is_wrong_in_both_files_is_told_of_both(case):
    run, trace = case.reasons(run=b"{}", trace=b"hello\n")
    assert run == "run.json: this is no run.json of format 1: it does not begin with its seal"
    assert trace == "trace.jsonl:1: this is not an event of trace format 1, or it was cut"


def test_a_trace_tells_the_first_line_that_is_bad(case):
    (reason,) = case.reasons(trace=case.bytes["trace.jsonl"].replace(b'"n":2', b'"n":3'))
    assert reason == "trace.jsonl:3: the line was changed: its hash does not match its bytes"


def anew(lines, edit):
    """The chain of edited lines, made as the recorder makes it."""
    prev, made = GENESIS, []
    for line in edit([line[75:] for line in lines]):
        whole, prev = seal(b'"prev":"%b"%b' % (prev, line[73:]))
        made.append(whole + b"\n")
    return b"".join(made), prev.decode()


def test_a_trace_written_anew_as_a_whole_is_told_by_its_head(case):
    data, head = anew(case.lines, lambda parts: [part.replace(b'"n":2', b'"n":3') for part in parts])
    (reason,) = case.reasons(trace=data)
    assert reason == (
        f"trace.jsonl: the chain holds, but its head is {head}, and {case.record.head} in run.json:"
        " all of it was written anew, or it is another run's"
    )


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({"met": False}, None),  # nothing else says so: only the seal kept elsewhere
        ({"events": 7}, "trace.jsonl: `events` is 6 here, and 7 in run.json"),
        ({"run": "timeout#1"}, "trace.jsonl: `run` is 'timeout#0' here, and 'timeout#1' in run.json"),
        ({"status": "failed"}, "trace.jsonl: `status` is 'passed' here, and 'failed' in run.json"),
        ({"seed": 5}, "run.json: `seed` is 5, and 4 in `inputs`"),
        ({"run_index": 5}, "run.json: `run_index` is 5, and 0 in `inputs`"),
        ({"sample": 5}, "run.json: `sample` is 5, and 0 in `inputs`"),
        ({"strategy": "best"}, "run.json: `strategy` is 'best', and 'baseline' in `inputs`"),
    ],
)
def test_a_field_edited_under_a_new_seal_is_held_against_the_rest(case, edit, why):
    data = encode(msgspec.structs.replace(case.record, **edit))
    if why is None:
        (case.folder / "run.json").write_bytes(data)
        found = verify_run(case.folder)
        (case.folder / "run.json").write_bytes(case.bytes["run.json"])
        assert found.seal != verify_run(case.folder).seal
    else:
        assert case.reasons(run=data) == [why]


def test_inputs_edited_under_a_new_seal_have_another_hash(case):
    inputs = msgspec.structs.replace(case.record.inputs, files={"world.yaml": "another"})
    (reason,) = case.reasons(run=encode(msgspec.structs.replace(case.record, inputs=inputs)))
    assert reason == "run.json: `hash` is not the hash of `inputs`: one of them was changed"


def test_inputs_that_nothing_can_have_hashed_are_told(case):
    inputs = msgspec.structs.replace(case.record.inputs, scenario={"n": "\\ud800"})
    data = encode(msgspec.structs.replace(case.record, inputs=inputs)).replace(rb"\\ud800", rb"\ud800")
    rest = data[79:]
    found = case.reasons(run=b'{\n  "seal": "%b",%b' % (hashlib.sha256(rest).hexdigest().encode(), rest))
    assert found[0].startswith("run.json: ")


def test_a_run_put_into_the_folder_of_another_is_told(case, made, tmp_path):
    with Runs(tmp_path) as runs:
        folder = runs.keep(*made(5))
    for name in case.bytes:
        (folder / name).write_bytes(case.bytes[name])
    with pytest.raises(BrokenRun, match="the folder is named for another run"):
        verify_run(folder)


@pytest.mark.parametrize("name", ["mine", "timeout-baseline-old", "backup-20250601123456"])
def test_a_folder_may_be_given_another_name(case, tmp_path, name):
    (tmp_path / name).mkdir()
    for file, data in case.bytes.items():
        (tmp_path / name / file).write_bytes(data)
    assert verify_run(tmp_path / name).record == case.record
