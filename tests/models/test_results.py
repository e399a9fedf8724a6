"""Whether a tool's result tells of a failure."""

from __future__ import annotations

import pytest

from squall.call import Message
from squall.models.results import LONGEST, failed, json_of


@pytest.mark.parametrize(
    "text",
    [
        '{"error": "no such order"}',
        ' {"error": {"code": 404}}',
        '{"isError": true}',
        '{"is_error": true, "content": []}',
        '{"ok": false}',
        '{"success": false, "id": 1}',
        "An error occurred while running the tool. Please try again. Error: boom",
        "Error executing tool pay: no money",
        "Error invoking tool 'pay' with kwargs {} with error:\n x\n Please fix the error and try again.",
        "Error: ValueError('x')\n Please fix your mistakes.",
        "1 validation error:\n[]\n\nFix the errors and try again.",
    ],
)
def test_a_failure_is_told_by_its_structure_or_by_a_frameworks_words(text):
    assert failed(Message("tool", text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "order not found",
        "Error: line 1 of a log that was asked for",
        '{"error": null, "id": 1}',
        '{"error": ""}',
        '{"status": "failed"}',
        '{"ok": true}',
        '["error"]',
        '"error"',
        '{"error": ',
        "x" * LONGEST + " Fix the errors and try again.",
    ],
)
def test_what_merely_looks_like_one_is_a_result(text):
    assert not failed(Message("tool", text))


def test_a_mark_in_the_request_is_enough():
    assert failed(Message("tool", "ok", failed=True))


@pytest.mark.parametrize("text", ["", "{", "x", "[" * 5_000])
def test_text_that_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        json_of(text)
