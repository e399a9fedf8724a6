from __future__ import annotations

import pytest

from squall.reports.visible import payload, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("a\nb\tc\u00a0d", "a b c d"),
        ("safe\u202egpj.exe", "safe\\u202egpj.exe"),
        ("\u2066x\u2069 \u200f", "\\u2066x\\u2069 \\u200f"),
        ("\x00\x1b[31m\x85\x7f", "\\x00\\x1b[31m\\x85\\x7f"),
        ("\ud800", "\\ud800"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\u2028\U000e0041", "\\u2028\\U000e0041"),
        ("filler \u3164 \u2800 \U000e0100", "filler \\u3164 \\u2800 \\U000e0100"),
        ("Żaneta 🐈 ❤️ שלום", "Żaneta 🐈 ❤️ שלום"),
        ("e" + "\u0301" * 50, "e" + "\u0301" * 2),
    ],
)
def test_what_cannot_be_seen_is_an_escape(text, shown):
    assert visible(text) == shown


def test_a_text_that_is_too_long_is_cut_and_says_how_long_it_was():
    assert visible("a" * 1_000_000, 5) == "aaaaa … (1,000,000 characters)"
    assert visible("a" * 5, 5) == "aaaaa"


def test_a_payload_is_its_json_and_a_text_stands_as_it_is():
    assert payload({"b": [1, None], "a": "x"}) == '{"b":[1,null],"a":"x"}'
    assert payload("two\nlines") == "two lines"


def test_a_payload_that_json_cannot_hold_is_shown_in_its_plain_form():
    assert payload({"a": "\ud800"}) == '{"a":"\\\\ud800"}'
    holder: list[object] = []
    holder.append(holder)
    assert payload(holder) == '["<itself>"]'


def test_personal_data_and_secrets_are_masked():
    assert payload({"to": "ada@example.com"}) == '{"to":"[masked email]"}'
    assert payload("key sk_" + "live_abcdefghijklmnop") == "key [masked key]"


def test_a_payload_of_a_megabyte_is_cut_with_its_whole_length():
    assert payload("b" * 1_000_000, 4) == "bbbb … (1,000,000 characters)"
    assert payload(["c" * 1_000_000], 4) == '["cc … (1,000,004 characters)'
