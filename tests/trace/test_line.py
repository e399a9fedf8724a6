from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
from collections import OrderedDict, UserDict
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.canonical import DEEPEST
from squall.trace import verify_lines
from squall.trace.kinds import Mark, ToolCall
from squall.trace.line import GENESIS, body, decode, rest, seal, tail

GOLDEN = Path(__file__).parent / "golden" / "format1.jsonl"


def test_format_1_is_pinned_byte_for_byte(recorder):
    assert b"".join(line + b"\n" for line in recorder.lines) == GOLDEN.read_bytes()


def test_the_pinned_trace_verifies():
    assert verify_lines(GOLDEN.read_bytes().splitlines(keepends=True)).status == "failed"


def test_a_line_can_be_checked_with_nothing_but_sha_256_and_json():
    previous = "0" * 64
    for number, line in enumerate(GOLDEN.read_bytes().splitlines(), start=1):
        value = json.loads(line)
        assert line[:75] == b'{"hash":"%b",' % value["hash"].encode()
        assert value["hash"] == hashlib.sha256(line[75:]).hexdigest()
        assert value["prev"] == previous
        assert list(value)[:7] == ["hash", "prev", "v", "run", "seq", "t", "kind"]
        assert (value["v"], value["seq"], value["run"], value["t"]) == (1, number, "test_refund#3", (number - 1) / 2)
        previous = value["hash"]


def test_a_sealed_line_is_the_hash_and_what_it_is_of():
    part = rest(GENESIS, b'"r#0"', 1, tail(0.5, Mark(name="m")))
    line, mark = seal(part)
    assert part == b'"prev":"%b","v":1,"run":"r#0","seq":1,"t":0.5,"kind":"mark","name":"m","data":{}}' % GENESIS
    assert line == b'{"hash":"%b",%b' % (mark, part)


def test_a_line_comes_back_as_envelope_and_event():
    event = Mark(name="m", data={"a": [1, None, "é"]})
    envelope, read = decode(seal(rest(GENESIS, b'"r#0"', 4, tail(1.25, event)))[0])
    assert read == event
    assert (envelope.prev, envelope.v, envelope.run, envelope.seq, envelope.t) == (GENESIS.decode(), 1, "r#0", 4, 1.25)


@pytest.mark.parametrize("line", [b"", b"{}", b"[]", b'{"kind":"mark"}', b"\xff\xfe", b'{"hash":"\xff"}'])
def test_what_is_no_line_does_not_decode(line):
    with pytest.raises(msgspec.DecodeError):
        decode(line)


def test_a_kind_that_is_not_known_does_not_decode():
    line, _ = seal(rest(GENESIS, b'"r#0"', 1, tail(0, Mark(name="m"))).replace(b'"kind":"mark"', b'"kind":"marc"'))
    with pytest.raises(msgspec.ValidationError, match="marc"):
        decode(line)


# ----------------------------------------------------------------------------------------------- hostile payloads


class Text(str):
    __slots__ = ()


class Opaque:
    def __repr__(self):
        raise RuntimeError("no")


@dataclass
class Node:
    next: object = None


def ring():
    node = Node()
    node.next = node
    return node


def loop():
    value: dict[str, list[object]] = {"items": []}
    value["items"].append(value)
    return value


def nested(levels, bottom="bottom"):
    for level in range(levels):
        bottom = {"in": bottom} if level % 2 else [bottom]
    return bottom


def depth(value):
    levels = 0
    while isinstance(value, dict | list):
        (value,) = value.values() if isinstance(value, dict) else value
        levels += 1
    return levels


@pytest.mark.parametrize(
    ("make", "written"),
    [
        (lambda: {"b", "a", "c"}, ["a", "b", "c"]),
        (lambda: {"a", 1, None}, ["a", 1, None]),
        (lambda: frozenset({(2, "x"), (1, "y")}), [[1, "y"], [2, "x"]]),
        (loop, {"items": ["<itself>"]}),
        (ring, "<Node>"),
        (lambda: Node("\ud800"), "<Node>"),
        (lambda: Node([1]), {"next": [1]}),
        (lambda: "a\ud800", r"a\ud800"),
        (lambda: {"\ud800": 1}, {r"\ud800": 1}),
        (lambda: 2**64, 2**64),
        (lambda: 10**5000, "1" + "0" * 5000),
        (lambda: {10**5000: 1}, {"1" + "0" * 5000: 1}),
        (lambda: math.nan, None),
        (lambda: -math.inf, None),
        (lambda: b"\xff\x00", "/wA="),
        (lambda: {1: "x", 1.5: "y"}, {"1": "x", "1.5": "y"}),
        (lambda: {None: "x", True: "y", (1, 2): "z"}, {"null": "x", "true": "y", "[1,2]": "z"}),
        (lambda: {Opaque(): 1}, {"<Opaque>": 1}),
        (Opaque, "<Opaque>"),
        (object, "<object>"),
        (lambda: ValueError("x"), "<ValueError>"),
        (lambda: Text("red"), "red"),
        (lambda: OrderedDict(b=1, a=2), {"a": 2, "b": 1}),
        (lambda: UserDict({"a": Opaque()}), {"a": "<Opaque>"}),
        (lambda: MappingProxyType({"a": 1}), {"a": 1}),
        (lambda: datetime(2025, 6, 1, tzinfo=UTC), "2025-06-01T00:00:00Z"),
        (lambda: Decimal("1.50"), "1.50"),
    ],
)
def test_any_payload_is_recorded_and_the_chain_still_holds(recorded, make, written):
    lines = recorded(make())
    assert verify_lines(lines).events == 2
    found = json.loads(lines[0])["data"]["it"]
    assert found == written or (isinstance(written, dict) and list(found.items()) == list(written.items()))


@pytest.mark.parametrize("levels", [DEEPEST - 1, DEEPEST, DEEPEST + 1, 300, 5000])
def test_a_deep_payload_is_cut_at_one_depth_however_deep_the_caller_is(recorded, levels):
    def from_deep(frames):
        return from_deep(frames - 1) if frames else recorded(nested(levels))

    lines = recorded(nested(levels))
    assert from_deep(200) == lines
    assert verify_lines(lines).events == 2
    data = json.loads(lines[0])["data"]
    assert depth(data) == min(levels + 1, DEEPEST)
    assert (b"<nested too deeply>" in lines[0]) == (levels + 1 > DEEPEST)


def test_a_wide_payload_is_recorded_whole(recorded):
    rows = [{"id": str(n), "tags": [n, [n]]} for n in range(200)]
    assert json.loads(recorded(rows)[0])["data"]["it"] == rows


@pytest.mark.parametrize("changed", [{"args": {"a": "\ud800"}}, {"scope": "\ud800"}, {"masked": ["\ud800"]}])
def test_a_hostile_text_in_any_field_is_recorded(changed):
    event = ToolCall(call=1, tool="t", target="s.t", access="read", args={}, digest="0", nth=1)
    event = msgspec.structs.replace(event, **changed)
    assert rb"\\ud800" in body(event)


ANYTHING = st.recursive(
    st.none() | st.integers() | st.floats() | st.text() | st.binary() | st.booleans() | st.builds(object),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text() | st.integers() | st.none() | st.booleans(), inner, max_size=3)
        | st.builds(Node, inner)
        | st.sets(st.integers() | st.text() | st.none(), max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(payload=ANYTHING)
def test_no_payload_breaks_a_line(payload):
    line, _ = seal(rest(GENESIS, b'"r#0"', 1, tail(0, Mark(name="m", data={"it": payload}))))
    assert b"\n" not in line
    assert json.loads(line)["kind"] == "mark"
    assert isinstance(decode(line)[1], Mark)


def test_sets_are_written_the_same_in_every_process():
    sets = "{'s': set('abcdefgh'), 't': {*'xyz', 1}}"
    code = f"from squall.trace import kinds, line; print(line.body(kinds.Mark(name='m', data={sets})))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
    assert '"s":["a","b","c","d","e","f","g","h"],"t":["x","y","z",1]' in outputs.pop()
