from __future__ import annotations

import csv as reader_of
from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace

from squall.reports.lab_csv import csv
from squall.reports.lab_rows import COLUMNS
from squall.reports.summary import summarize

GOLDEN = Path(__file__).parent / "golden/lab.csv"


def read(text):
    return list(reader_of.DictReader(StringIO(text, newline="")))


def test_the_rows_of_a_suite_are_as_they_always_were(lab):
    assert csv(lab.summary).encode() == GOLDEN.read_bytes()


def test_there_is_a_row_for_each_cell_and_nothing_where_nothing_is_known(lab):
    rows = read(csv(summarize([replace(lab.runs[0], status="skipped")])))
    assert [row["group"] for row in rows] == ["strategy", "scenario", "fault"]
    assert {rows[0][name] for name in ("pass_rate", "low", "high", "pass_hat_1", "latency_median_s")} == {""}
    assert (rows[0]["runs"], rows[0]["judged"], rows[0]["skipped"]) == ("1", "0", "1")


def test_no_run_makes_a_file_with_its_head_alone():
    assert csv(summarize([])) == ",".join(COLUMNS) + "\r\n"


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1", "@x", "  =1"])
def test_no_name_is_a_formula(lab, name):
    row = read(csv(summarize([replace(lab.runs[0], strategy=name)])))[0]
    assert row["strategy"] == f"'{name}"


def test_names_with_commas_quotes_and_lines_are_one_cell(lab):
    name = 'a,"b"\nc\u202e\ud800'
    row = read(csv(summarize([replace(lab.runs[0], strategy=name)])))[0]
    assert row["strategy"] == 'a,"b" c\\u202e\\ud800'
