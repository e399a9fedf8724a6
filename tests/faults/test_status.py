"""The text of a status, `faults/status.py`."""

from __future__ import annotations

import pytest

from squall.faults.status import status_text


def test_a_status_has_its_phrase_or_the_message_that_is_given():
    assert status_text(503) == "503 Service Unavailable"
    assert status_text(503, "Down for the night") == "503 Down for the night"


def test_it_says_when_to_come_back():
    assert status_text(429, retry_after=1.5) == "429 Too Many Requests. Retry after 1.5 seconds."


def test_a_status_without_a_phrase_is_just_an_error():
    assert status_text(599) == "599 Error"


@pytest.mark.parametrize(
    ("status", "phrase"),
    [(413, "Content Too Large"), (414, "URI Too Long"), (416, "Range Not Satisfiable"), (422, "Unprocessable Content")],
)
def test_a_status_that_was_renamed_is_called_the_same_under_each_python(status, phrase):
    assert status_text(status) == f"{status} {phrase}"
