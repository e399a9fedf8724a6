"""Records of JSON files: found one by one, whatever holds them, wherever a chunk ends."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.trace.formats import records as module
from squall.trace.formats.records import NotJson, record_at, records

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def values(path):
    return [record.value for record in records(path)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('[[{"a": 1}], [], [{"a": 2}]]', [{"a": 1}, {"a": 2}]),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [{"a": 1}]}, {"spans": []}]}]}', [{"a": 1}]),
        ('{"object": "list", "data": [{"a": 1}], "more": false}', [{"a": 1}]),
        ('{"messages": [{"role": "user"}], "runs": [1]}', [{"messages": [{"role": "user"}], "runs": [1]}]),
        ('{"spans": [{"spans": [1]}]}', [{"spans": [1]}]),
        ("\ufeff{}", [{}]),
        ("", []),
        (" \n ", []),
        ("12 13", [12, 13]),
    ],
)
def test_lists_and_what_holds_records_are_gone_into(write, text, found):
    assert values(write(text)) == found


def test_a_record_says_where_it_stands_and_in_which_list(write):
    path = write('[{"é": "ü"}, {"a": [1]}]\n{"b": 2}')
    found = list(records(path))
    assert [record.inside for record in found] == [0, 0, -1]
    with path.open("rb") as file:
        assert [record_at(file, record.start, record.end) for record in found] == [{"é": "ü"}, {"a": [1]}, {"b": 2}]


@pytest.mark.parametrize("chunk", [17, 40, 64])
def test_it_does_not_matter_where_a_chunk_ends(write, monkeypatch, chunk):
    monkeypatch.setattr(module, "CHUNK", chunk)
    texts = ["", "é" * 30, 'a "quoted" \\ word', "\u2028" * 9, "x" * 200]
    spans = [{"text": text, "n": number, "deep": [{"t": text}] * 3} for number, text in enumerate(texts)]
    assert (
        values(write({"note": "x" * 100, "resourceSpans": [{"scopeSpans": [{"spans": spans}]}], "end": 1.5e3})) == spans
    )
    assert values(write(spans, lines=True)) == spans
    assert values(write(json.dumps(spans, indent=3))) == spans


@given(found=st.lists(VALUES.map(lambda value: {"x": value}), max_size=5), chunk=st.integers(17, 90))
def test_what_is_written_is_found(found, chunk, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "records.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        for text in ("\n".join(map(json.dumps, found)), json.dumps(found, ensure_ascii=False)):
            path.write_text(text, encoding="utf-8", errors="replace")
            assert len(values(path)) == len(found)
        path.write_text(json.dumps(found))
        assert values(path) == found


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("hello", 0),
        ('{"a": 1}\n{"a": ', 15),
        ('{"a": 1}\nnonsense', 9),
        ('{"spans": [{} {}]}', 14),
        ('{"spans": [{}], x}', 16),
        ('{"spans": [{}], "x" 1}', 20),
        ('{"spans": [{}] "x": 1}', 15),
        ("[" * 100_000, 8),
        ('{"n": ' + "1" * 10_000 + "}", 0),
    ],
)
def test_what_is_no_json_is_told_with_its_place(write, text, at):
    with pytest.raises(NotJson) as wrong:
        values(write(text))
    assert wrong.value.at == at


def test_a_broken_file_is_not_read_to_its_end_to_find_that_out(write, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 64)
    with pytest.raises(NotJson) as wrong:
        values(write('{"a": 1}\n{"a": nonsense, ' + " " * 10_000 + "}"))
    assert wrong.value.at == 15


def test_bytes_that_are_no_text_are_replaced(tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(b'{"a": "\xff\xfe"}')
    assert values(path) == [{"a": "\ufffd\ufffd"}]
