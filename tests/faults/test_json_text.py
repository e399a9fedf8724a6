"""Whether text is JSON, `faults/json_text.py`."""

from __future__ import annotations

import pytest

from squall.faults.json_text import parses


@pytest.mark.parametrize("text", ["{}", "null", "1e5", ' [1, "x"]\n', "Infinity"])
def test_what_pythons_parser_takes_is_json(text):
    assert parses(text)


@pytest.mark.parametrize("text", ["", "{", "nul", "{a: 1}", "1 2", "[" * 100_000])
def test_what_it_refuses_is_not(text):
    assert not parses(text)
