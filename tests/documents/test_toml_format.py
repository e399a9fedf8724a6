"""TOML: plain data with positions, however a table is spelled."""

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
    return parse(text, format="toml", name="s.toml")


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        read(text)
    return str(caught.value)


TEXT = '''# a scenario
name = "x # y"  # c
"quoted key".'b' = 'it''is'
d.e = 1.5

[task]
text = """
long ] = "quoted" text"""""
when = 2025-06-01 07:30:00.25Z
list = [ 1, [2.5, { z = "]" , y.w = 3 }], # c
  "last", ]

[[steps]]
kind = "a"
[steps.args]
n = +1_0
[[steps]]
kind = """b"""
[[steps.more]]
x = 07:32:00
[a.b.c]
v = inf
[a]
w = 0x1F
'''.replace("it''is", "itis")


def test_every_kind_of_value_is_plain_data():
    assert read(TEXT).data == {
        "name": "x # y",
        "quoted key": {"b": "itis"},
        "d": {"e": 1.5},
        "task": {
            "text": 'long ] = "quoted" text""',
            "when": "2025-06-01T07:30:00.250000Z",
            "list": [1, [2.5, {"z": "]", "y": {"w": 3}}], "last"],
        },
        "steps": [{"kind": "a", "args": {"n": 10}}, {"kind": "b", "more": [{"x": "07:32:00"}]}],
        "a": {"b": {"c": {"v": float("inf")}}, "w": 31},
    }


@pytest.mark.parametrize(
    ("loc", "value", "key"),
    [
        (("name",), '"x # y"', "name"),
        (("quoted key", "b"), "'itis'", "'b'"),
        (("d", "e"), "1.5", "e ="),
        (("task",), "[task]", "task]"),
        (("task", "text"), '"""', "text"),
        (("task", "when"), "2025-06-01 07", "when"),
        (("task", "list", 1, 0), "2.5", None),
        (("task", "list", 1, 1, "y", "w"), "3 }", "w ="),
        (("task", "list", 2), '"last"', None),
        (("steps", 0), "[[steps]]", None),
        (("steps", 0, "args", "n"), "+1_0", "n ="),
        (("steps", 1, "kind"), '"""b', "kind"),
        (("steps", 1, "more", 0, "x"), "07:32", "x ="),
        (("a", "b", "c", "v"), "inf", "v ="),
        (("a",), "[a]", "a]"),
        (("a", "w"), "0x1F", "w ="),
    ],
)
def test_positions_point_at_what_is_written(loc, value, key):
    document = read(TEXT)
    lines = TEXT.split("\n")
    at = document.at(loc)
    assert lines[at.line - 1][at.column - 1 :].startswith(value)
    if key:
        at = document.at(loc, key=True)
        assert lines[at.line - 1][at.column - 1 :].startswith(key)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = ", "s.toml:1:5: this is not valid TOML: invalid value"),
        ("a = 1\nb == 2", "s.toml:2:4: this is not valid TOML: invalid value"),
        ('a = "x', "s.toml:1:7: this is not valid TOML: unterminated string"),
        ("a = 1\r\n[t\r\n", "s.toml:2:3: this is not valid TOML: expected ']' at the end of a table declaration"),
        (
            "a = 1\nb = 2\na = 3",
            "s.toml:3:1: the key 'a' stands here twice\n    It stands first on line 1, column 1. Keep one of them.",
        ),
        (
            "[t]\nx = {a = 1, a = 2}",
            "s.toml:2:13: the key 'a' stands here twice\n    It stands first on line 2, column 6. Keep one of them.",
        ),
        ("# only a comment", "s.toml:1:1: the file holds nothing\n    Is this the right file?"),
        ("a = 1\nb = " + "9" * 5000, "s.toml:2:5: this number has more digits than can be read\n    Put it in quotes."),
    ],
)
def test_each_mistake_has_one_message_at_its_place(text, said):
    assert refusal(text) == said


def test_a_table_declared_twice_is_told():
    assert refusal("[t]\na = 1\n[t]\n").startswith("s.toml:3:")


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 20_000, "a = " + "{a=" * 20_000, "a" + ".a" * 20_000 + " = 1", "[" + "a." * 20_000 + "b]"]
)
def test_absurd_depth_is_refused_before_it_costs_anything(text):
    assert f"nested more than {MAX_DEPTH} levels deep" in refusal(text)


@pytest.mark.parametrize(
    "text", ['a = """' + '\\"""' * 50_000, "a = '''" + "''a" * 50_000, '"' * 50_001, 'a = "' + '\\"' * 50_000]
)
def test_long_malformed_texts_end_in_an_error(text):
    assert "this is not valid TOML" in refusal(text)


SNIPPETS = [
    "a",
    "b",
    ".",
    " = ",
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ",",
    "\n",
    '"',
    "'",
    '"""',
    "'''",
    "1",
    "1.5",
    "\\",
    "#",
    " ",
    "true",
    "[a]\n",
    "a = 1\n",
    "2025-06-01",
    "\r\n",
    "\r",
    "é",
    '"k"',
    "[[r]]\n",
]


@settings(max_examples=100, deadline=2000)
@given(st.lists(st.sampled_from(SNIPPETS), max_size=25).map("".join) | st.text(max_size=40))
def test_any_text_is_data_or_a_usage_error(text):
    with suppress(UsageError):
        document = read(text)
        json.dumps(document.data)


def spelled(text):
    return json.dumps(text, ensure_ascii=False)


KEYS = st.from_regex(r"[a-z]{1,3}", fullmatch=True) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), max_size=4
)
VALUES = (
    st.integers(-(2**63), 2**63 - 1).map(str)
    | st.booleans().map(json.dumps)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6).map(spelled)
)


def toml_key(key):
    return key if key.isascii() and key.isalpha() else spelled(key)


@settings(max_examples=100, deadline=2000)
@given(
    st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=3), min_size=1, max_size=3),
    st.booleans(),
    st.booleans(),
)
def test_tables_are_read_back_and_stand_where_they_are_written(tables, dotted, many):
    lines = []
    for name, fields in tables.items():
        if not dotted:
            lines.append(f"[[{toml_key(name)}]]" if many else f"[ {toml_key(name)} ]  # c")
        lines += [
            f"{toml_key(name) + ' . ' if dotted else ''}{toml_key(key)}  =  {value}" for key, value in fields.items()
        ]
    document = read("\n".join([*lines, "zz.zz = 1" if dotted else "[zzzz]"]))
    for name, fields in tables.items():
        for key, value in fields.items():
            loc = (name, 0, key) if many and not dotted else (name, key)
            at, key_at = document.at(loc), document.at(loc, key=True)
            assert lines[at.line - 1][at.column - 1 :] == value
            assert lines[key_at.line - 1][key_at.column - 1 :].startswith(toml_key(key))
