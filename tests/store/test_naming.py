"""Folders' names: safe on any disk, whatever a scenario is called."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.store.naming import DIGITS, LONGEST, folder_name, folder_names, slug

HASH = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("stale-memory", "stale-memory"),
        ("stale_memory.v2", "stale_memory.v2"),
        ("../../etc/passwd", "etc-passwd"),
        ("..", "unnamed"),
        ("", "unnamed"),
        ("a b\tc\nd", "a-b-c-d"),
        ("C:\\runs\\x", "C-runs-x"),
        ("Café Übung", "Cafe-Ubung"),
        ("支払い", "unnamed"),
        (".hidden", "hidden"),
        ("--flag", "flag"),
        ("a\x00b", "a-b"),
        ("\u202eevil", "evil"),
        ("x" * 300, "x" * LONGEST),
        ("node agent.js --fast", "node-agent.js-fast"),
    ],
)
def test_a_name_becomes_safe(name, safe):
    assert slug(name) == safe


@given(st.text(), st.text())
def test_no_text_makes_a_name_that_a_disk_refuses(scenario, strategy):
    for name in folder_names(scenario, strategy, HASH):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name)
        assert len(name) < 200


def test_a_folder_is_named_for_its_scenario_its_strategy_and_its_hash():
    assert folder_name("timeout", "baseline", HASH) == "timeout-baseline-0123456789ab"


def test_names_that_look_alike_share_a_slug_and_the_hash_tells_them_apart():
    assert slug("a/b") == slug("a b")
    assert folder_name("a/b", "s", "0" * 64) != folder_name("a b", "s", "1" * 64)


def test_each_further_name_has_more_digits_and_the_last_one_all():
    names = folder_names("s", "t", HASH)
    assert [len(name.rpartition("-")[2]) for name in names] == list(DIGITS)
    assert names[-1].endswith(HASH)
