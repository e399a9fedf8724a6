"""JSON: strict, with positions."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.documents import parse
from squall.documents.positions import MAX_DEPTH
from squall.errors import UsageError


def read(text: str):
    return parse(text, format="json", name="p.json")


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        read(text)
    return str(caught.value)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)


def spelled_at(document, loc, **kwargs):
    at = document.at(loc, **kwargs)
    rest = document.text.split("\n")[at.line - 1 :]
    return json.JSONDecoder().raw_decode("\n".join([rest[0][at.column - 1 :], *rest[1:]]))[0]


def check_positions(document, data, loc=()):
    assert spelled_at(document, loc) == data
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        if isinstance(key, str):
            assert spelled_at(document, (*loc, key), key=True) == key
        check_positions(document, value, (*loc, key))


@settings(max_examples=100, deadline=2000)
@given(DATA.filter(lambda data: data is not None), st.booleans(), st.sampled_from([None, 0, 2]))
def test_what_is_dumped_is_read_back_and_stands_where_it_is_written(data, ascii_only, indent):
    document = read(json.dumps(data, ensure_ascii=ascii_only, indent=indent))
    assert document.data == data
    check_positions(document, data)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1,\n "b" 2}', "p.json:2:6: this is not valid JSON: expecting ':' delimiter"),
        ('{"a": 1,}', "p.json:1:9: this is not valid JSON: expecting property name enclosed in double quotes"),
        ('["a', "p.json:1:2: this is not valid JSON: unterminated string"),
        ('["a\tb"]', "p.json:1:4: this is not valid JSON: invalid control character"),
        ("{'a': 1}", "p.json:1:2: this is not valid JSON: expecting property name enclosed in double quotes"),
        ("[1] [2]", "p.json:1:5: this is not valid JSON: extra data"),
        ("[1, NaN]", "p.json:1:5: NaN is no JSON\n    Write a finite number."),
        ("[-Infinity]", "p.json:1:2: -Infinity is no JSON\n    Write a finite number."),
        (
            '{"a": 1, "b": {"a": 1, "a": 2}}',
            "p.json:1:24: the key 'a' stands here twice\n    It stands first on line 1, column 16. Keep one of them.",
        ),
        ('["\\ud800"]', "p.json:1:2: half of a surrogate pair is no character\n    Write the character itself."),
        ("null", "p.json:1:1: the file holds nothing\n    Is this the right file?"),
    ],
)
def test_each_mistake_has_one_message_at_its_place(text, said):
    assert refusal(text) == said


def test_a_number_longer_than_python_converts_is_refused_at_its_place():
    assert refusal('{"a": 1, "b": -' + "9" * 5000 + "}").startswith("p.json:1:15: the number '-999")


@pytest.mark.parametrize("unit", ["[", '{"a":', '[{"a":'])
def test_absurd_depth_is_refused(unit):
    assert f"nested more than {MAX_DEPTH} levels deep" in refusal(unit * 30_000)


@pytest.mark.parametrize("text", ['"' + '\\"' * 100_000, '"\\' * 100_000, "[1," * 50, '{"a":' * 50])
def test_long_malformed_texts_end_in_an_error(text):
    assert "this is not valid JSON" in refusal(text)


@settings(max_examples=100, deadline=2000)
@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from([*'{}[]:,"\\ 1-.e\n', "true", "NaN", '"a"']), max_size=30).map("".join)
)
def test_any_text_is_data_or_a_usage_error(text):
    with suppress(UsageError):
        document = read(text)
        check_positions(document, document.data)
