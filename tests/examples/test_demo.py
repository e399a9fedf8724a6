"""`make demo`: what it shows, what it leaves behind, and that it notices when it has shown something else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ENDS = ("csv", "html", "json", "md", "xml")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def run_demo(tmp_path, surroundings):
    """Runs the demo of `examples` from an empty folder."""

    def run(examples):
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        command = [sys.executable, examples / "demo.py"]
        done = subprocess.run(
            command, cwd=elsewhere, env=surroundings, capture_output=True, text=True, timeout=100, check=False
        )
        assert [path.name for path in elsewhere.iterdir()] in ([], ["demo"])
        return done

    return run


def test_it_shows_two_gates_and_the_lab_and_leaves_nothing_but_its_report(run_demo, examples, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in examples.rglob("*")}
    done = run_demo(examples)
    assert done.returncode == 0, done.stderr
    assert re.search(r"test_the_hasty_agent +\d+/20 .* failed$", done.stdout, re.MULTILINE)
    assert re.search(r"test_the_careful_agent +20/20 .* passed$", done.stdout, re.MULTILINE)
    assert "issue_refund!timeout(after) → issue_refund" in done.stdout
    assert re.search(r"^resilient +6 of 6 +100 %", done.stdout, re.MULTILINE)
    left = tmp_path / "elsewhere/demo"
    assert sorted(path.name for path in left.iterdir()) == [*(f"report.{end}" for end in ENDS), "runs"]
    assert len(list((left / "runs").glob("*/run.json"))) == 18
    assert {path: path.stat().st_mtime_ns for path in examples.rglob("*")} == before
    closing = done.stdout.partition("\nNext,")[2]
    files = re.findall(r"^  (\S+\.(?:py|yaml|md)) ", closing, re.MULTILINE)
    assert len(files) == 5
    missing = [
        name for name in files if not (ROOT / "examples/shop" / name).exists() and not (ROOT / "docs" / name).exists()
    ]
    assert missing == []


def test_a_hasty_agent_that_passes_is_told_as_what_the_demo_should_not_show(run_demo, examples):
    tests = examples / "shop/test_refunds.py"
    source = tests.read_text(encoding="utf-8")
    tests.write_text(source.replace("await hasty_agent(", "await careful_agent("), encoding="utf-8")
    done = run_demo(examples)
    assert done.returncode == 1
    assert "the gate of test_the_hasty_agent should have failed" in done.stderr
    assert "Next," not in done.stdout


def test_a_test_that_cannot_run_is_no_failed_gate(run_demo, examples):
    (examples / "shop/shop_rules.py").write_text("raise RuntimeError('not today')", encoding="utf-8")
    done = run_demo(examples)
    assert done.returncode == 1
    assert "the gate of test_the_hasty_agent should have failed" in done.stderr


def test_a_lab_that_comes_out_otherwise_is_told_as_what_the_demo_should_not_show(run_demo, examples):
    timeout = examples.parent / "scenarios/timeout.toml"
    timeout.write_text(timeout.read_text("utf-8").replace('kind = "timeout"', 'kind = "empty_result"'), "utf-8")
    done = run_demo(examples)
    assert done.returncode == 1
    assert "resilient alone should have passed" in done.stderr
