"""Denied texts: where they are found, and paths that are the user's own."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.checks.policy.denied import Denied
from squall.checks.story import NOT_JSON


def found(arguments, *, denied=None, said=(), raw=None):
    return Denied(denied, said).found(arguments, json.dumps(arguments) if raw is None else raw)


@pytest.mark.parametrize("text", ["file:///etc/hosts", "cat ~/.SSH/config", "/ETC/passwd", "keys/id_rsa.pub", "../x"])
def test_the_texts_that_are_built_in_are_found_whatever_their_case(text):
    assert found({"a": {"path": [text]}}).path == "a.path.0"


def test_the_list_of_a_policy_replaces_the_built_in_one():
    assert found({"path": "../x"}, denied=["DROP TABLE"]) is None
    assert found({"q": "drop table orders"}, denied=["DROP TABLE"]) == ("DROP TABLE", "q")
    assert found({"path": "../x"}, denied=[]) is None


def test_a_denied_text_is_no_regular_expression():
    assert found({"q": "aaa"}, denied=["a+", ".", "a|b"]) is None
    assert found({"q": "a+"}, denied=["a+"]) == ("a+", "q")


def test_an_escape_hides_nothing():
    raw = '{"path": "\\u002e\\u002e\\/secret"}'
    assert Denied(None, ()).found(json.loads(raw), raw) == ("../", "path")


def test_what_json_escapes_makes_no_denied_text():
    assert found({"text": "wait..\nok"}, denied=["..\\"]) is None
    assert found({"path": "..\\secret"}, denied=["..\\"]) == ("..\\", "path")


def test_names_of_arguments_are_searched_and_what_spans_several():
    assert found({"id_rsa": 1}) == ("id_rsa", "id_rsa")
    assert found({"admin": True}, denied=['"admin": true']) == ('"admin": true', "")
    assert found({"card": 4111111111111111}, denied=["4111111111111111"]) == ("4111111111111111", "")


def test_padding_hides_nothing():
    assert found({"text": "x" * 1_000_000 + "/etc/passwd"}) == ("/etc/passwd", "text")


def test_arguments_that_are_no_json_are_searched_as_they_are():
    assert Denied(None, ()).found(NOT_JSON, '{"path": "../x"') == ("../", "")
    assert Denied(None, ()).found(NOT_JSON, None) is None


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("Fix the bug in ../app/main.py, please.", "../app/main.py"),
        ("Read '../app/main.py'.", "cat ../app/main.py | head -5"),
        ("Look into ../lib", "../lib/deep/a.py"),
        ("Look into ../../lib/.", "../../lib"),
        ("Open ../app/main.py", "../app"),
        ("Is it in ../..?", "../../"),
        ("paths: ../a, ../b", "diff ../a ../b"),
        ("Look at src/../lib/x", "./src/../lib/x"),
    ],
)
def test_a_path_that_the_user_named_may_climb(said, path):
    assert found({"path": path}, said=[said]) is None


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("Fix the bug in main.py", "../main.py"),
        ("Look into ../lib", "../lib/../secret"),
        ("Look into ../lib", "../library/x"),
        ("Look into ../lib", "../../lib"),
        ("Look into ../lib", "cp ../lib ../other"),
        ("Look into ../lib.", "../.."),
        ("Is it in ../?", "../../x"),
        ("../" * 65, "../" * 65),
    ],
)
def test_another_path_may_not(said, path):
    assert found({"path": path + "/"}, said=[said]) == ("../", "path")


def test_a_policy_that_denies_climbing_itself_denies_it_always():
    assert found({"path": "../x"}, denied=["../"], said=["read ../x"]) == ("../", "path")


def test_other_texts_are_denied_even_if_the_user_named_them():
    assert found({"path": "/etc/passwd"}, said=["read /etc/passwd"]) == ("/etc/passwd", "path")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, st.text(max_size=9), st.text(max_size=9))
def test_whatever_stands_around_it_a_denied_text_is_found(around, before, after):
    arguments = {"a": around, "b": [{"c": f"{before}DeNiEd-text{after}"}]}
    assert Denied(["denied-TEXT"], ()).found(arguments, json.dumps(arguments)) == ("denied-TEXT", "b.0.c")


@given(JSON)
def test_what_is_not_there_is_not_found(arguments):
    assert Denied(["no such text anywhere"], ()).found({"a": arguments}, None) is None


@pytest.mark.parametrize(
    "hostile",
    ["../" * 300_000, "../a " * 200_000, "a" * 1_000_000, "." * 1_000_000, "/." * 500_000],
    ids=["climbs", "paths", "letters", "dots", "slashes"],
)
def test_a_megabyte_of_anything_is_searched_in_its_length(hostile):
    found({"text": hostile}, said=[hostile])


def test_deep_arguments_are_searched():
    deep: object = "../"
    for _ in range(400):
        deep = {"k" * 1000: deep}
    assert found(deep, raw="").denied == "../"
