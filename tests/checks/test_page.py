from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from squall.checks.kinds import BUILT_IN

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "checks.md").read_text()
RUNS = ROOT.parent / "shared" / "corpora" / "taubench_airline_gpt4o.jsonl"


def test_the_page_lists_each_check_in_order_with_what_it_does_by_default():
    rows = re.findall(r"^\| \[`(\w+)`\]\([^)]+\) \| (\w+) \|", PAGE, re.MULTILINE)
    assert rows == [(check.name, check.default) for check in BUILT_IN]


def test_the_page_tells_of_each_check():
    told = re.findall(r"^### `(\w+)`$", PAGE, re.MULTILINE)
    assert told == [check.name for check in BUILT_IN if check.name != "policy"]


@pytest.mark.parametrize("check", BUILT_IN, ids=lambda check: check.name)
def test_a_checks_module_begins_with_its_name_and_says_what_it_leaves_alone(check):
    rule = sys.modules[type(check).__module__].__doc__ or ""
    assert rule.startswith(f"`{check.name}`")
    assert "\nNot: " in rule


@pytest.mark.skipif(not RUNS.is_file(), reason="the labelled runs are no part of the project")
def test_the_evidence_on_the_page_is_what_the_script_prints():
    script: list[str | Path] = [sys.executable, ROOT / "bench" / "checks_evidence.py", RUNS]
    printed = subprocess.run(script, capture_output=True, text=True, check=True, timeout=120).stdout.strip()
    assert PAGE.partition("<!-- evidence -->\n")[2].partition("\n<!-- /evidence -->")[0] == printed


def test_the_script_prints_nothing_but_why_where_there_are_no_runs(tmp_path):
    script = [sys.executable, ROOT / "bench" / "checks_evidence.py", tmp_path / "runs.jsonl"]
    printed = subprocess.run(script, capture_output=True, text=True, check=True, timeout=120).stdout
    assert printed == "no file runs.jsonl of labelled runs here: nothing to measure\n"
