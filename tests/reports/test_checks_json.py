"""JSON of what checks found."""

from __future__ import annotations

import json

import pytest

from squall.capture.entry import entry_of
from squall.checks import Verdict
from squall.reports.checked import CheckedRun
from squall.reports.checks_json import KEYS, JsonReport, write
from squall.trace import Trace
from squall.version import __version__


def run(**about):
    return CheckedRun(entry_of(Trace([]), [Verdict("c", "fail", "why", 2)], **about), ("c",))


@pytest.fixture
def text(tmp_path):
    def made(runs):
        write(tmp_path / "made.json", runs)
        return (tmp_path / "made.json").read_text(encoding="utf-8")

    return made


def test_the_keys_come_in_one_order_whatever_the_entry_has(text):
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


@pytest.mark.parametrize("count", [0, 1, 3])
def test_what_is_written_run_by_run_is_laid_out_like_the_whole(text, count):
    found = text([run(test=f"t{number}") for number in range(count)])
    assert found == json.dumps(json.loads(found), indent=2, ensure_ascii=False) + "\n"
    assert json.loads(found)["summary"]["runs"] == len(json.loads(found)["runs"]) == count


def test_a_run_is_in_the_file_before_the_next_one_comes(tmp_path):
    report = JsonReport(tmp_path / "a.json")
    for number in range(200):
        report.add(run(test=f"t{number}"))
    assert '"t9' in (tmp_path / "a.json").read_text(encoding="utf-8")
    report.close()
