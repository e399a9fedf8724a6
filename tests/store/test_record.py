"""`run.json`, format 1: its bytes, its seal, and the hash of what a run depends on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from squall.store.record import Inputs, StrategyId, Unsealed, decode, encode, seal_of

GOLDEN = Path(__file__).parent / "golden"
BEFORE = 79  # bytes: what `tail -c +80` leaves out


@pytest.fixture
def golden(made):
    return made(7, run_index=3)


def resealed(data, old, new):
    """What somebody makes who edits a `run.json` and knows how its seal comes about."""
    rest = data[BEFORE:].replace(old, new)
    return b'{\n  "seal": "%b",%b' % (hashlib.sha256(rest).hexdigest().encode(), rest)


def test_format_1_is_written_byte_for_byte_as_it_was(golden):
    record, lines = golden
    assert encode(record) == (GOLDEN / "run.json").read_bytes()
    assert b"".join(line + b"\n" for line in lines) == (GOLDEN / "trace.jsonl").read_bytes()


def test_format_1_is_read_as_it_was(golden):
    assert decode((GOLDEN / "run.json").read_bytes()) == golden[0]


def test_the_seal_comes_first_and_is_the_hash_of_all_bytes_behind_it(golden):
    data = encode(golden[0])
    assert data.startswith(b'{\n  "seal": "')
    assert seal_of(data) == hashlib.sha256(data[BEFORE:]).hexdigest() == json.loads(data)["seal"]


def test_the_hash_of_a_run_is_pinned(golden):
    assert golden[0].hash == "6f85934c98559fdb66041cda63305e202503580e7895585d5a305f1c40508696"


def test_every_byte_that_changes_is_found(golden):
    data = encode(golden[0])
    for place, byte in enumerate(data):
        for changed in (data[:place] + bytes([byte ^ 1]) + data[place + 1 :], data[:place] + data[place + 1 :]):
            with pytest.raises(Unsealed):
                decode(changed)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"seal": "x"}', b"\xff\xfe", b"hello", b'{\n  "seal": "'])
def test_what_is_no_run_says_so(data):
    with pytest.raises(Unsealed, match=r"this is no run\.json of format 1: it does not begin with its seal"):
        decode(data)


@pytest.mark.parametrize("field", [b'"seed"', b'"grain"'])
def test_a_later_format_says_that_it_is_one_whether_or_not_it_has_all_fields(golden, field):
    later = resealed(resealed(encode(golden[0]), b'"seed"', field), b'"v": 1\n', b'"v": 2\n')
    with pytest.raises(msgspec.ValidationError, match="run format 2 is not known; this squall reads 1"):
        decode(later)


def test_a_sealed_file_without_a_field_names_the_field(golden):
    with pytest.raises(msgspec.DecodeError, match="missing required field `met`"):
        decode(resealed(encode(golden[0]), b'"met"', b'"mat"'))


def test_a_record_comes_back_as_it_was_whatever_its_texts_hold(made):
    for text in ('<script>"\\', "\u202e\u0000 ✓", "", "x" * 10_000):
        record, _ = made(answer=text, scenario=f"s{text[:50]}", strategy=text)
        assert decode(encode(record)) == record


BASE = Inputs(
    scenario={"name": "s", "steps": []},
    seed=1,
    run_index=0,
    strategy=StrategyId(name="baseline", parameters={"retries": 2}, digest="d"),
    squall="0.1.0",
    files={"world.yaml": "a"},
)


@pytest.mark.parametrize(
    "change",
    [
        {"scenario": {"name": "s", "steps": [1]}},
        {"scenario": {"name": "t", "steps": []}},
        {"seed": 2},
        {"run_index": 1},
        {"squall": "0.1.1"},
        {"files": {"world.yaml": "b"}},
        {"files": {"world.yml": "a"}},
        {"files": {}},
        {"sample": 1},
        {"strategy": StrategyId(name="other", parameters={"retries": 2}, digest="d")},
        {"strategy": StrategyId(name="baseline", parameters={"retries": 3}, digest="d")},
        {"strategy": StrategyId(name="baseline", parameters={"retries": 2}, digest="e")},
    ],
)
def test_whatever_a_run_depends_on_changes_its_hash(change):
    assert msgspec.structs.replace(BASE, **change).hash != BASE.hash


def test_how_a_strategy_is_found_and_the_order_of_keys_do_not_change_the_hash():
    again = msgspec.structs.replace(BASE.strategy, how="my:Baseline", deterministic=True)
    assert msgspec.structs.replace(BASE, strategy=again).hash == BASE.hash
    assert msgspec.structs.replace(BASE, scenario={"steps": [], "name": "s"}).hash == BASE.hash
