"""`squall compare`: stored runs side by side, from one folder or from two, and its report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def stored(squall, refund, calm):
    """Two suites: `a` with a strategy that fails, `b` with one that passes."""
    squall("suite", refund, calm, "--strategies", "careless", "--seeds", "0..2", "--output", "a")
    squall("suite", refund, calm, "--strategies", "resilient", "--seeds", "0..2", "--output", "b")


def test_one_folder_is_summed_up(squall, stored):
    done = squall("compare", "b")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("resilient met its expectations in 6 of 6 runs.")


def test_a_run_that_did_not_pass_is_exit_status_1(squall, stored):
    assert squall("compare", "a").status == 1


def test_two_folders_are_held_against_each_other_in_pairs(squall, stored):
    done = squall("compare", "a", "b")
    assert done.status == 1
    assert "careless in 3 of 6" in done.out
    assert "50.0 points better than\n  careless" in done.out


def test_json_has_rows_and_pairs(squall, stored):
    told = json.loads(squall("compare", "a", "b", "--json").out)
    assert (told["runs"], told["met"], told["strategies"]) == (12, 9, ["resilient", "careless"])
    (pair,) = told["pairs"]
    assert (pair["runs"], pair["only_a"], pair["only_b"], pair["both"]) == (6, 0, 3, 3)


def test_a_report_with_a_title_is_written_and_names_no_path_of_the_machine(squall, stored, tmp_path):
    done = squall("compare", tmp_path / "a", "b", "--output", "out/both.html", "--title", "Before & after")
    assert done.out.splitlines()[-1] == "12 runs; report: out/both.html"
    assert sorted(path.name for path in Path("out").iterdir()) == [
        f"both.{ending}" for ending in ("csv", "html", "json", "md", "xml")
    ]
    page = Path("out/both.html").read_text()
    assert "<title>Before &amp; after</title>" in page
    assert str(tmp_path) not in page


def test_the_same_runs_make_the_same_bytes_whatever_the_order_of_folders(squall, stored):
    squall("compare", "a", "--output", "one.html")
    Path("c").mkdir()
    for folder in sorted(Path("a").iterdir(), reverse=True):
        folder.rename(Path("c") / folder.name)
    squall("compare", "c", "--output", "two.html")
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    assert Path("one.html").read_text() == Path("two.html").read_text().replace("replay c/", "replay a/")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "cannot read 'nowhere': No such file or directory"),
        (("empty",), "there is no run in 'empty'"),
        (("refund.toml",), "'refund.toml' is a file, and runs are folders"),
        (("a", "--output", "empty"), "cannot write 'empty': it is a folder"),
        (("a", "--output", "x"), "the report is a page, and 'x' does not end in .html"),
        (("a", "--output", "x.json"), "Name it x.html: the others are written beside it."),
    ],
)
def test_wrong_input_is_said(squall, stored, arguments, message):
    Path("empty").mkdir()
    done = squall("compare", *arguments)
    assert done.status == 2
    assert message in done.err


def test_a_changed_run_is_not_compared(squall, stored):
    record = min(Path("a").glob("*/run.json"))
    record.write_text(record.read_text().replace('"run_index": 0', '"run_index": 9'))
    done = squall("compare", "a")
    assert done.status == 2
    assert "its seal does not match its bytes" in done.err
