"""YAML: plain data, types in flow style, positions, and one clear error for everything else."""

from __future__ import annotations

import io
import json
import math
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from squall.documents import parse
from squall.documents.document import MAX_SIZE
from squall.documents.positions import MAX_DEPTH
from squall.documents.yaml_format import MAX_ALIASED
from squall.errors import UsageError


def read(text: str):
    return parse(text, format="yaml", name="w.yaml")


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        read(text)
    assert len(caught.value.problems) == 1
    return str(caught.value)


def place(document, *loc, key=False):
    return document.at(loc, key=key)[1:]


# --- types in flow style ---------------------------------------------------------------------------------------------

ORDER = (
    "records: { order: { id: str, status: enum[placed, delivered, returned], total: float, n: int[1..10], "
    'tags: list[str]?, who: ref[people.person], when: datetime[-20d..0d], x: list[ref[a.b]], e: enum["a, b", c] '
    "} }  # c\n"
)


def test_the_types_of_a_record_load_in_flow_style():
    assert read(ORDER).data["records"]["order"] == {
        "id": "str",
        "status": "enum[placed, delivered, returned]",
        "total": "float",
        "n": "int[1..10]",
        "tags": "list[str]?",
        "who": "ref[people.person]",
        "when": "datetime[-20d..0d]",
        "x": "list[ref[a.b]]",
        "e": 'enum["a, b", c]',
    }


def test_every_key_and_value_of_a_flow_record_stands_where_it_is_written():
    document = read(ORDER)
    for field, value in document.data["records"]["order"].items():
        line, column = place(document, "records", "order", field)
        assert (line, ORDER[column - 1 :][: len(value)]) == (1, value)
        line, column = place(document, "records", "order", field, key=True)
        assert (line, ORDER[column - 1 :][: len(field)]) == (1, field)


@pytest.mark.parametrize(
    "written",
    [
        "list[enum[a, b]]",
        "list[int[1..3]]?",
        "str(email)",
        "list[str(email)]?",
        "enum['it''s', b]",
        "enum[it's, b]",
        'enum["}", "]", "#"]',
        "float[0.5..1.5]",
        "list[list[list[int]]]",
        "unknown_type[a, b]",
        "enum[a: b, c]",
        "enum[]",
        "enum[a#b, c]",
        r'enum["\"", a]',
    ],
)
def test_a_type_is_one_word_in_flow_and_in_a_list(written):
    assert read(f"a: {{ b: {written}, c: 1 }}").data == {"a": {"b": written, "c": 1}}
    assert read(f"a: [{written}, {written}]").data == {"a": [written, written]}
    assert read(f"a: {{b: {written}}}").data == {"a": {"b": written}}


def test_in_block_style_a_type_is_an_ordinary_scalar():
    assert read("status: enum[placed, delivered]\ntags: list[enum[a, b]]?  # c\n").data == {
        "status": "enum[placed, delivered]",
        "tags": "list[enum[a, b]]?",
    }


def test_a_type_may_go_over_several_lines_with_comments():
    document = read("a: { s: enum[placed, # first\n   # more\n  delivered]?, t: 1 }  # end\nb: 2")
    assert document.data == {"a": {"s": "enum[placed, delivered]?", "t": 1}, "b": 2}
    assert place(document, "a", "t", key=True) == (3, 16)
    assert place(document, "b", key=True) == (4, 1)


def test_plain_lists_quotes_and_comments_stay_what_they_are():
    text = "a: [a, b]\nb: {c: \"enum[a, b]\", d: 'list[x]'}  # enum[a, b]\nc: [ [1, 2], [x] ]\n"
    assert read(text).data == {"a": ["a", "b"], "b": {"c": "enum[a, b]", "d": "list[x]"}, "c": [[1, 2], ["x"]]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: { s: enum[a, b }", "w.yaml:1:13: this is not valid YAML: this '[' is not closed before '}'"),
        ("a: { s: enum[a, b", "w.yaml:1:13: this is not valid YAML: this '[' is not closed before the end of the file"),
        ('a: { s: enum["a, b', "w.yaml:1:13: this is not valid YAML: this '[' is not closed before '\"'"),
        ("a: { s: list[enum[a], t: x }", "w.yaml:1:13: this is not valid YAML: this '[' is not closed before '}'"),
    ],
)
def test_an_unclosed_type_is_told_at_its_bracket(text, said):
    assert refusal(text) == said


# --- plain data ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("2025-06-01", "2025-06-01"),
        ("2025-06-01T10:00:00Z", "2025-06-01T10:00:00Z"),
        ("12", 12),
        ("-3", -3),
        ("007", 7),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("-.inf", -math.inf),
        ("+.nan", "+.nan"),
        ("1:30", "1:30"),
        ("12:30:45", "12:30:45"),
        ("'5'", "5"),
        ('"x"', "x"),
        ("!!str 5", "5"),
        ("! 5", "5"),
        ('!!int "5"', 5),
        ("!!float 5", 5.0),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("!!map {}", {}),
        ("!!seq []", []),
        ("=", "="),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\0"', "\0"),
        ("str(email)", "str(email)"),
    ],
)
def test_a_scalar_is_read_as_yaml_1_2_says(written, value):
    found = read(f"a: {written}\n").data["a"]
    assert found == value
    assert type(found) is type(value)


def test_nan_is_a_number():
    assert math.isnan(read("a: .nan").data["a"])


@pytest.mark.parametrize("text", ["a:\n-\n- b\n-\nc:\n", "a:\n  -\n  - b\n  -\nc:\n", "{a: [~, b, null], c: }"])
def test_empty_items_and_values_are_null(text):
    assert read(text).data == {"a": [None, "b", None], "c": None}


def test_block_scalars_keep_their_lines():
    assert read("a: |\n  x\n   y\nb: >-\n  x\n  y\n").data == {"a": "x\n y\n", "b": "x y"}


def test_an_alias_is_a_copy_with_its_own_position():
    document = read("a: &x {b: [1]}\nc: *x\nd: &k e\n*k : 3")
    assert document.data == {"a": {"b": [1]}, "c": {"b": [1]}, "d": "e", "e": 3}
    assert document.data["a"] is not document.data["c"]
    assert document.data["a"]["b"] is not document.data["c"]["b"]
    assert place(document, "c") == (2, 4)
    assert place(document, "c", "b") == (1, 11)


def test_one_document_between_markers_and_unknown_directives_is_fine():
    assert read("%YAML 1.2\n%FUTURE x\n---\na: 1\n...\n").data == {"a": 1}


def test_columns_count_from_the_first_character_and_across_line_ends():
    document = read("\ufeffa: 1\r\nb:\r\n  c: é\r\n  'd e':   x\r\n")
    assert [place(document, "a"), place(document, "b", "d e"), place(document, "b", "d e", key=True)] == [
        (1, 4),
        (4, 12),
        (4, 3),
    ]


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "a: 1\nb: 2\na: 3",
            "w.yaml:3:1: the key 'a' stands here twice\n    It stands first on line 1, column 1. Keep one of them.",
        ),
        (
            "x: {a: 1, a: 2}",
            "w.yaml:1:11: the key 'a' stands here twice\n    It stands first on line 1, column 5. Keep one of them.",
        ),
        (
            "a:\n  1: x",
            "w.yaml:2:3: the key 1 is not text\n    Keys are text. Put the key in quotes if that is what you mean.",
        ),
        (
            "~: x",
            "w.yaml:1:1: the key ~ is not text\n    Keys are text. Put the key in quotes if that is what you mean.",
        ),
        (
            ": x",
            "w.yaml:1:1: the key null is not text\n    Keys are text. Put the key in quotes if that is what you mean.",
        ),
        (
            "[a]: b",
            (
                "w.yaml:1:1: a key cannot be a list or a mapping\n"
                "    Keys are text. Put the key in quotes if that is what you mean."
            ),
        ),
        (
            "a: &x 1\n*x : 2",
            "w.yaml:2:1: the key *x is not text\n    Keys are text. Put the key in quotes if that is what you mean.",
        ),
        (
            "a: !!python/object:os.system x",
            (
                "w.yaml:1:4: the tag '!!python/object:os.system' is not plain data\n"
                "    Take the tag away; logic lives in Python."
            ),
        ),
        ("a: !x {b: 1}", "w.yaml:1:4: the tag '!x' is not plain data\n    Take the tag away; logic lives in Python."),
        (
            "a: !!map [1]",
            "w.yaml:1:4: the tag '!!map' is not plain data\n    Take the tag away; logic lives in Python.",
        ),
        ("a: !!int x", "w.yaml:1:4: 'x' is no int, as its tag says\n    Take the tag away."),
        ("a:\n\tb: 1", "w.yaml:2:1: a tab cannot indent YAML\n    Indent with spaces."),
        ("a: 1\n---\nb: 2", "w.yaml:2:1: a second YAML document starts here\n    Keep one document in a file."),
        ("%YAML 1.1\n---\na: no", "w.yaml:1:1: squall reads YAML 1.2, not 1.1\n    Take the %YAML line out."),
        ("a: *x", "w.yaml:1:4: the alias *x names no anchor above it\n    Mark the value with &x."),
        ("a: &x [*x]", "w.yaml:1:8: the alias *x stands inside what it names\n    Data cannot hold itself."),
        (
            "a: &x {b: 1}\nc: {<<: *x}",
            "w.yaml:2:5: merge keys ('<<') are not part of YAML 1.2\n    Write the keys out.",
        ),
        ('a: "\\ud800"', "w.yaml:1:4: half of a surrogate pair is no character\n    Write the character itself."),
        (
            "a: b\x01",
            (
                "w.yaml:1:5: the control character '\\x01' cannot stand in a document\n"
                "    Take it out, or write it as an escape in quotes."
            ),
        ),
        ("a: \x9f", "w.yaml:1:4: the character '\\x9f' cannot stand in YAML\n    Write it as an escape."),
        (
            "a: b: c",
            (
                "w.yaml:1:5: this is not valid YAML: mapping values are not allowed here\n"
                "    Text that holds ': ' needs quotes; also check the indentation."
            ),
        ),
        (
            "a: [1, 2",
            (
                "w.yaml:1:9: this is not valid YAML: expected ',' or ']', but got the end of the file "
                "(while parsing a flow sequence that began on line 1, column 4)"
            ),
        ),
        (
            'a: "x',
            (
                "w.yaml:1:6: this is not valid YAML: found unexpected end of stream "
                "(while scanning a quoted scalar that began on line 1, column 4)\n"
                "    A quote is opened here or above and never closed."
            ),
        ),
        ('a: "\\UFFFFFFFF"', "w.yaml:1:1: this is not valid YAML\n    The mistake is here or soon after."),
        ("", "w.yaml:1:1: the file is empty\n    Is this the right file?"),
        ("# only a comment\n", "w.yaml:1:1: the file holds nothing\n    Is this the right file?"),
    ],
)
def test_each_mistake_has_one_message_at_its_place(text, said):
    assert refusal(text) == said


def test_a_number_longer_than_python_converts_is_refused():
    assert refusal("a: " + "9" * 5000).startswith("w.yaml:1:4: the number '9999")


# --- hostile files ---------------------------------------------------------------------------------------------------


def test_aliases_that_multiply_are_stopped():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    assert f"the aliases of this document stand for more than {MAX_ALIASED:,} values" in refusal("\n".join(lines))


def test_aliases_cannot_build_depth():
    lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 200))]
    assert f"nested more than {MAX_DEPTH} levels deep" in refusal("\n".join(lines))


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "[a, "])
def test_absurd_depth_is_refused_where_it_begins(unit):
    assert f"the document is nested more than {MAX_DEPTH} levels deep" in refusal(unit * 20_000)


def test_the_deepest_allowed_document_loads():
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH).data


@pytest.mark.parametrize(
    "text",
    [
        "a: {s: " + "enum[" * 30_000,
        '{s: enum["' + '\\"' * 100_000,
        "{s: enum[" + "'" * 100_001,
        "? " * 50_000,
        "{s: enum[" + "a " * 50_000,
        '"' + "a " * 50_000,
        "&a " * 50_000,
        "!a " * 50_000,
        "%TAG " + "!" * 50_000,
        "*" * 50_000,
    ],
)
def test_long_malformed_texts_end_in_an_error(text):
    refusal(text)


def test_a_text_that_is_too_long_is_refused_unread():
    assert refusal("a" * (MAX_SIZE + 1)).startswith("w.yaml: the file is larger than 4 MB\n    ")


SNIPPETS = [
    "a",
    ": ",
    ":",
    "- ",
    "\n",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ",",
    "enum[",
    "list[",
    "?",
    "? ",
    "&x ",
    "*x",
    "!",
    "!!",
    "!!str ",
    "'",
    '"',
    "\\",
    "\\u",
    "#",
    " #",
    "|",
    ">",
    "|-\n",
    "%",
    "%YAML 1.2",
    "---",
    "...",
    "\t",
    "\r",
    "~",
    "1",
    "<<",
    "é",
    "\x00",
    "\ufeff",
    "\u2028",
    "@",
    "`",
    "=",
    "0x",
    ".inf",
    "\x85",
]


@settings(max_examples=100, deadline=2000)
@given(st.lists(st.sampled_from(SNIPPETS), max_size=40).map("".join) | st.text(max_size=60))
def test_any_text_is_data_or_a_usage_error(text):
    with suppress(UsageError):
        document = read(text)
        json.dumps(document.data)
        for loc in paths(document.data):
            assert document.at(loc).line
            assert document.at(loc, key=True).line


def paths(data, loc=()):
    yield loc
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from paths(value, (*loc, key))


TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\ufeff\ufffe\uffff"), max_size=12
)
# The dumper leaves texts unquoted in flow style which begin like this, and its own reader does not take them.
PLAIN = TEXTS.filter(lambda text: not text.startswith((":", "?")))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | PLAIN
KEYS = PLAIN.filter(lambda key: key != "<<")
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@settings(max_examples=80, deadline=2000)
@given(DATA.filter(lambda data: data is not None), st.booleans())
def test_what_a_dumper_writes_is_read_back(data, flow):
    dumper = YAML(typ="safe", pure=True)
    dumper.default_flow_style = flow
    stream = io.StringIO()
    dumper.dump(data, stream)
    assert read(stream.getvalue()).data == data


WORDS = st.from_regex(r"[a-z][a-z_]{0,6}", fullmatch=True)
TYPES = st.recursive(
    st.sampled_from(["str", "int[1..10]", "float?", "str(email)", "ref[a.b]", "enum[a, b, c]", "enum['x, y', z]"]),
    lambda inner: inner.map(lambda written: f"list[{written}]"),
    max_leaves=4,
)


@settings(max_examples=100, deadline=2000)
@given(st.dictionaries(WORDS, TYPES, min_size=1, max_size=6), st.integers(1, 3), st.booleans())
def test_positions_point_at_the_first_character_of_each_key_and_type(fields, blanks, broken):
    gap = "\n" + " " * blanks if broken else " " * blanks
    text = (
        "# é\nrecord: {"
        + ",".join(f"{gap}{key}:{' ' * blanks}{written}" for key, written in fields.items())
        + gap
        + "} # end"
    )
    document = read(text)
    assert document.data == {"record": fields}
    lines = text.split("\n")
    for key, written in fields.items():
        line, column = place(document, "record", key)
        assert lines[line - 1][column - 1 :].startswith(written)
        line, column = place(document, "record", key, key=True)
        assert lines[line - 1][column - 1 :].startswith(key)
