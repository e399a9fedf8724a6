from __future__ import annotations

import pytest

from squall.checks.story.content import as_text, value_of
from squall.checks.story.failures import failure


def by(result, tool="get_order", **flags):
    value = value_of(result) if isinstance(result, str) else result
    found = failure(tool, value, as_text(result), **flags)
    return None if found is None else found.by


@pytest.mark.parametrize(
    ("result", "evidence"),
    [
        ({"isError": True, "content": [{"type": "text", "text": "no"}]}, "flag"),
        ({"status_code": 503, "body": "…"}, "status"),
        ({"status": 404, "message": "no such order"}, "status"),
        ({"success": False, "order": 7}, "field"),
        ('{"ok": false}', "field"),
        ({"ok": False, "reason": "missing_scope", "needed": "chat"}, "field"),
        ('{"error": "no such order"}', "field"),
        ('{"error": {"code": 7, "message": "no"}, "data": null}', "field"),
        ({"status": "error", "message": "no"}, "field"),
        ({"error": "card declined", "code": "declined"}, "field"),
        ("Error: no such order", "words"),
        ("  error: relation does not exist", "words"),
        ("Exception: boom", "words"),
        ("ValueError: invalid literal for int()", "words"),
        ("requests.exceptions.ConnectionError: refused", "words"),
        ("KeyError('order')", "words"),
        ('Traceback (most recent call last):\n  File "x.py", line 1\nKeyError: 1', "words"),
        ("Error: 2 things are wrong\n  q: missing\n  n: too small", "words"),
        ("An error occurred while running the tool. Please try again.", "default text"),
        ("An error occurred while running the tool. Please try again. Error: boom", "default text"),
        ("Error: boom\n Please fix your mistakes.", "default text"),
        ("2 validation errors:\n```json\n[]\n```\n\nFix the errors and try again.", "default text"),
        ("No such city.\n\nFix the errors and try again.", "default text"),
        ("Unknown tool name: 'x'. Available tools: 'y'", "default text"),
        ("Error executing tool get: boom", "default text"),
        ("Error calling tool 'get': boom", "default text"),
        ("Tool 'x' not found.", "default text"),
    ],
)
def test_failures_are_known_and_so_is_what_shows_them(result, evidence):
    assert by(result) == evidence


@pytest.mark.parametrize(
    "result",
    [
        "Order not found",
        "No results found.",
        {"status": "failed"},
        {"status": "failed", "reason": "card declined"},
        {"id": 7, "status": "failed", "error": "disk full"},
        {"error": None, "id": 7},
        {"error": "", "result": "x"},
        {"error": "stale", "result": [1]},
        {"errors": []},
        {"error": 3, "info": 20},
        {"status": 404},
        {"status": 450, "total": 12},
        {"success": True},
        {"ok": False, "stock": 0},
        {"message": "Error: shown to the user"},
        ["Error: in a list"],
        "Error rate: 5%",
        "Errors in this file: none",
        "The error: it was raised by the user",
        "ErrorProne is a linter",
        "Error: disk full\n2025-06-01 10:00:00 INFO restarted\n",
        "Error: disk full\nWarning: retrying\nError: disk full",
        "3 validation errors were fixed by the team",
        "",
        None,
        7,
    ],
)
def test_what_is_data_is_no_failure(result):
    assert by(result) is None


def test_a_line_of_a_log_is_no_failure_of_the_tool_that_reads_logs():
    assert by("Error: disk full", tool="read_logs") is None
    assert by("Error: disk full", tool="tailLog") is None
    assert by("Error: disk full", tool="catalog") == "words"


def test_a_mark_by_the_protocol_comes_first():
    assert by("Order not found", flagged=True) == "flag"


def test_the_words_of_a_failure_are_told():
    by_message = failure("x", {"error": {"message": "no such order"}}, "{…}")
    by_field = failure("x", {"success": False}, '{"success":false}')
    assert by_message is not None
    assert by_field is not None
    assert by_message.text == "no such order"
    assert by_field.text == '{"success":false}'
