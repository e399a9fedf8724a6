"""JSON of what checks found."""

from __future__ import annotations

import json

from squall.capture.entry import entry_of
from squall.checks import Verdict
from squall.reports.checked import CheckedRun
from squall.reports.checks_json import KEYS, text, write
from squall.trace import Trace
from squall.version import __version__


def run(**about):
    return CheckedRun(entry_of(Trace([]), [Verdict("c", "fail", "why", 2)], **about), ("c",))


def test_the_keys_come_in_one_order_whatever_the_entry_has():
    one = run(test="t")
    other = CheckedRun(dict(reversed(one.entry.items())), one.failed)
    assert text([one]) == text([other])
    whole = json.loads(text([one]))
    assert (whole["tool"], whole["version"]) == ("squall", __version__)
    assert list(whole["runs"][0]) == list(KEYS)
    assert whole["runs"][0]["verdicts"] == [
        {"check": "c", "verdict": "fail", "fired": True, "reason": "why", "step": 2}
    ]


def test_an_entry_of_a_run_has_all_of_them():
    assert list(run().entry) == list(KEYS)


def test_words_are_written_as_they_are_and_half_a_character_breaks_nothing(tmp_path):
    write(tmp_path / "a.json", [run(test="größe \ud800")])
    assert "größe ?" in (tmp_path / "a.json").read_text(encoding="utf-8")
