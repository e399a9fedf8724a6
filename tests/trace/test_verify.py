from __future__ import annotations

import hashlib
import io
import re
from importlib import import_module
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.trace import BrokenChain, Recorder, verify, verify_lines
from squall.trace.kinds import Mark, RunEnd
from squall.trace.line import GENESIS, rest, seal, tail
from squall.trace.verify import LONGEST_LINE, verify_file

thorough = settings(max_examples=100, deadline=None)
light = settings(max_examples=40, deadline=None)


def lines_of(number=6):
    recorder = Recorder("test_refund#3", lambda: 0.5)
    for n in range(number - 1):
        recorder.record(Mark(name=f"m{n}", data={"text": 'a}\\n{"é', "n": n}))
    recorder.end(lambda count: RunEnd(status="passed", count=count))
    return recorder.lines


LINES = lines_of()
LAST = len(LINES)
WHOLE = b"".join(line + b"\n" for line in LINES)
PLACES = st.integers(1, LAST)


def chain(*parts):
    """Lines whose hashes hold, whatever they say: each part is made from the hash before it."""
    prev, lines = GENESIS, []
    for part in parts:
        line, prev = seal(part(prev))
        lines.append(line)
    return lines


def event(seq, what=None, run=b'"r#0"', t=0.0):
    return lambda prev: rest(prev, run, seq, tail(t, what or Mark(name="m")))


def bad_line(lines):
    with pytest.raises(BrokenChain) as caught:
        verify_lines(lines)
    return caught.value.line


@pytest.fixture
def written(tmp_path):
    """Write bytes to a file and give the first line that is bad in it, and why."""

    def check(data):
        path = tmp_path / "t.jsonl"
        path.write_bytes(data)
        with pytest.raises(BrokenChain) as caught:
            verify(path)
        assert str(caught.value) == f"{path}:{caught.value.line}: {caught.value.why}"
        return caught.value.line, caught.value.why

    return check


def test_a_whole_trace_tells_its_run_its_events_its_status_and_its_head(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(WHOLE)
    found = verify(path)
    assert (found.run, found.events, found.status) == ("test_refund#3", LAST, "passed")
    assert found.head == hashlib.sha256(LINES[-1][75:]).hexdigest()
    assert verify(str(path)) == found


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_lines_verify_with_and_without_their_newlines(end):
    assert verify_lines(line + end for line in LINES).events == LAST


def first_bad(data):
    """The first bad line of a file that holds `data`, without the cost of a file."""
    with pytest.raises(BrokenChain) as caught:
        verify_file(io.BytesIO(data))
    return caught.value.line


def first_difference(data):
    """The first line, from 1, in which `data` is not the whole trace; the last one where it only lacks lines."""
    lines, whole = (re.findall(rb"[^\n]*\n|[^\n]+", text) for text in (data, WHOLE))
    same = [one == other for one, other in zip(lines, whole, strict=False)]
    return same.index(False) + 1 if False in same else min(len(lines), len(whole) + 1)


def test_a_change_of_every_single_byte_is_found_at_its_line():
    for offset, byte in enumerate(WHOLE):
        changed = WHOLE[:offset] + bytes([byte ^ 1]) + WHOLE[offset + 1 :]
        assert first_bad(changed) == WHOLE[:offset].count(b"\n") + 1


@thorough
@given(offset=st.integers(0, len(WHOLE) - 1), by=st.integers(1, 255))
def test_a_byte_changed_to_any_other_is_found_at_its_line(offset, by):
    changed = WHOLE[:offset] + bytes([WHOLE[offset] ^ by]) + WHOLE[offset + 1 :]
    assert first_bad(changed) == WHOLE[:offset].count(b"\n") + 1


@thorough
@given(offset=st.integers(0, len(WHOLE)), byte=st.integers(0, 255) | st.sampled_from(b'\n\r}"'))
def test_a_byte_put_in_anywhere_is_found_at_its_line(offset, byte):
    changed = WHOLE[:offset] + bytes([byte]) + WHOLE[offset:]
    assert first_bad(changed) == first_difference(changed)


def test_every_single_byte_taken_out_is_found_at_its_line():
    for offset in range(len(WHOLE)):
        changed = WHOLE[:offset] + WHOLE[offset + 1 :]
        assert first_bad(changed) == first_difference(changed)


def test_a_file_cut_at_any_length_is_found_at_the_last_line_that_is_there():
    for length in range(1, len(WHOLE)):
        assert first_bad(WHOLE[:length]) == WHOLE[: length - 1].count(b"\n") + 1


@pytest.mark.parametrize("place", range(1, LAST))
def test_a_line_taken_out_shows_where_the_next_one_stands(place):
    assert bad_line(LINES[: place - 1] + LINES[place:]) == place


def test_the_last_line_taken_out_shows_at_the_line_that_is_last_now():
    assert bad_line(LINES[:-1]) == LAST - 1


@light
@given(place=PLACES, at=st.integers(0, LAST))
def test_a_line_put_in_again_shows_where_it_stands(place, at):
    copied = [*LINES[:at], LINES[place - 1], *LINES[at:]]
    # Right before its original the copy stands where it belongs, and the original is the one too many.
    assert bad_line(copied) == (at + 2 if at == place - 1 else at + 1)


@light
@given(st.permutations(range(LAST)).filter(lambda order: order != list(range(LAST))))
def test_lines_in_another_order_show_at_the_first_that_moved(order):
    moved = next(place for place, came in enumerate(order) if place != came)
    assert bad_line([LINES[n] for n in order]) == moved + 1


@light
@given(st.sets(PLACES, min_size=1))
def test_any_lines_taken_out_show(gone):
    left = [line for number, line in enumerate(LINES, start=1) if number not in gone]
    intact = min(gone) - 1  # so many lines are left as they were
    assert bad_line(left) == (intact + 1 if len(left) > intact else max(intact, 1))


def test_a_line_of_another_run_shows_though_its_own_hash_holds():
    other = chain(event(1), event(2, run=b'"other#1"'), event(3, RunEnd(status="passed", count=3)))
    assert bad_line(other) == 2


def test_a_line_made_up_and_hashed_shows_at_the_line_behind_it():
    forged = seal(rest(LINES[0][9:73], b'"test_refund#3"', 2, tail(0.5, Mark(name="forged"))))[0]
    assert bad_line([LINES[0], forged, *LINES[2:]]) == 3
    assert bad_line([LINES[0], forged, *LINES[1:]]) == 3


def test_a_chain_made_anew_verifies_but_has_another_head():
    anew = chain(event(1), event(2, RunEnd(status="passed", count=2)))
    assert verify_lines(anew).head != verify_lines(LINES).head


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        (chain(event(1), event(3, RunEnd(status="p", count=2))), 2, "another place or another run"),
        (chain(event(1), event(2, RunEnd(status="p", count=3))), 2, "run_end counts 3 events, the file has 2"),
        (chain(event(1, RunEnd(status="p", count=1)), event(2)), 2, "a line after run_end"),
        (chain(event(1), event(2)), 2, "truncated: it has no run_end"),
        (
            chain(lambda p: event(1)(p).replace(b'"v":1', b'"v":2')),
            1,
            "trace format 2 is not known; this squall reads 1",
        ),
        (
            chain(lambda p: event(1)(p).replace(b'"mark"', b'"marc"')),
            1,
            "not an event of trace format 1: Invalid value",
        ),
        (chain(lambda p: event(1)(p).replace(b'"m"', b'"\xff"')), 1, "not an event of trace format 1: Invalid UTF-8"),
        (
            chain(lambda p: b'"prev":"%b","it":%b}' % (p, b"[" * 9**5 + b"]" * 9**5)),
            1,
            "not an event of trace format 1",
        ),
        (chain(lambda _: event(1)(b"1" * 64)), 1, "removed, inserted or moved"),
        ([], 1, "the file is empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_told_apart(lines, line, why):
    with pytest.raises(BrokenChain, match=why) as caught:
        verify_lines(lines, name="t.jsonl")
    assert (caught.value.name, caught.value.line) == ("t.jsonl", line)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the file is empty"),
        (b"\n", "this is not an event of trace format 1, or it was cut"),
        (b'{"name": "package.json"}\n', "this is not an event of trace format 1"),
        (b"# Heading\n\nProse.\n", "this is not an event of trace format 1, or it was cut"),
        (bytes(range(256)) * 40, "this is not an event of trace format 1, or it was cut"),
        (b"\x1f\x8b" + WHOLE, "this is not an event of trace format 1"),
        (b"\xef\xbb\xbf" + WHOLE, "this is not an event of trace format 1"),
        (WHOLE.replace(b"\n", b"\r\n"), "this is not an event of trace format 1, or it was cut"),
    ],
)
def test_a_file_of_another_kind_is_bad_from_its_first_line(written, data, why):
    assert written(data) == (1, why)


def test_a_file_that_lacks_only_its_last_newline_was_cut(written):
    line, why = written(WHOLE[:-1])
    assert line == LAST
    assert why.startswith("the line has no end: it was cut")


def test_a_file_cut_within_a_line_says_so(written):
    cut = WHOLE[: WHOLE.rindex(b"{") + 90]
    assert written(cut) == (LAST, "this is not an event of trace format 1, or it was cut")


def test_a_line_longer_than_any_event_is_not_read_into_memory_whole(written, monkeypatch):
    module = import_module("squall.trace.verify")  # the package's name is the function
    monkeypatch.setattr(module, "PIECE", 10)
    monkeypatch.setattr(module, "LONGEST_LINE", 100)
    assert written(WHOLE)[0] == 1
    assert LONGEST_LINE >= 2**20


def test_a_file_that_cannot_be_read_is_the_callers_to_tell(tmp_path):
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "none.jsonl")
    with pytest.raises(IsADirectoryError):
        verify(tmp_path)


def middle(seq, part):
    """A whole chain of eight lines; the one at `seq` is made by `part` from the hash before it."""
    parts = [event(number) for number in range(1, 8)] + [event(8, RunEnd(status="passed", count=8))]
    parts[seq - 1] = part
    return chain(*parts)


@pytest.mark.parametrize("seq", [2, 5, 7])
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda part, _: part.replace(b'"mark"', b'"marc"'), "not an event of trace format 1"),
        (lambda part, _: part.replace(b'"m"', b'"\xff"'), "not an event of trace format 1"),
        (lambda part, _: part.replace(b'"m"', b'"\n"'), "not an event of trace format 1"),
        (lambda part, _: part.replace(b'"m"', b"m"), "not an event of trace format 1"),
        (lambda part, _: part + b" ", "not an event of trace format 1"),
        (lambda part, _: part + b"\r", "not an event of trace format 1"),
        (lambda part, _: part + b'{"kind":"mark"}', "not an event of trace format 1"),
        (lambda part, _: part.replace(b'"m"', b"[" * 9**5 + b"]" * 9**5), "not an event of trace format 1"),
        (lambda part, _: part.replace(b'"t":0.0', b'"t":"0"'), "not an event of trace format 1"),
        (lambda part, _: part.replace(b'"v":1', b'"v":2'), "trace format 2 is not known"),
        (lambda part, _: part.replace(b'"r#0"', b'"r#1"'), "another place or another run"),
        (lambda part, seq: part.replace(b'"seq":%d' % seq, b'"seq":9'), "another place or another run"),
        (lambda part, _: part.replace(b'"prev":"', b'"prev":"0', 1), "removed, inserted or moved"),
    ],
)
def test_a_line_within_a_trace_is_told_though_its_hash_holds(seq, change, why):
    lines = middle(seq, lambda prev: change(event(seq)(prev), seq))
    with pytest.raises(BrokenChain, match=why) as caught:
        verify_lines(lines)
    assert caught.value.line == seq


def test_an_end_within_a_trace_is_told_at_the_line_behind_it():
    assert bad_line(middle(4, event(4, RunEnd(status="passed", count=4)))) == 5


def test_the_same_event_may_be_spelt_otherwise():
    spelt = middle(4, lambda prev: event(4)(prev).replace(b'"r#0"', b'"\\u0072#0"').replace(b'"v":1', b'"v": 1'))
    assert verify_lines(spelt).events == 8


@pytest.fixture(scope="module")
def within():
    return import_module("squall.trace.verify")  # the package's name is the function


def outcome(data):
    try:
        return verify_file(io.BytesIO(data))
    except BrokenChain as error:
        return error.line, error.why


@thorough
@given(piece=st.integers(1, 2 * len(WHOLE)), data=st.data())
def test_a_trace_is_judged_alike_in_pieces_of_any_size_and_line_by_line(within, piece, data):
    lines = WHOLE.splitlines(keepends=True)
    order = data.draw(st.just(list(range(LAST))) | st.lists(st.sampled_from(range(LAST)), max_size=LAST + 1))
    edited = b"".join(lines[number] for number in order)
    if edited and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(edited) - 1))
        edited = edited[:place] + data.draw(st.binary(max_size=2)) + edited[place + data.draw(st.integers(0, 2)) :]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(within, "PIECE", piece)
        in_pieces = outcome(edited)
        patch.setattr(within._Chain, "_passes", lambda *_: False)
        assert in_pieces == outcome(edited)


def test_of_a_long_trace_few_lines_are_looked_at_closely(within, monkeypatch):
    looked, closely = [], within._Chain._take

    def counted(chain, line):
        looked.append(line)
        closely(chain, line)

    monkeypatch.setattr(within._Chain, "_take", counted)
    lines = lines_of(3000)
    data = b"".join(line + b"\n" for line in lines)
    assert verify_file(io.BytesIO(data)).events == 3000
    assert len(looked) <= 2 * (len(data) // within.PIECE + 1)


def test_every_line_of_the_sample_differs_so_that_a_move_always_shows():
    assert all(one != other for one, other in pairwise(sorted(LINES)))
