"""examples/refund_agent: seven tests that look at answers; its README shows what squall says of their runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples/refund_agent"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```console\n\$ (pytest .+)\n((?:.*\n)*?)```$", README, re.MULTILINE)
ROWS = re.findall(r"^\| `(test_\w+)` \|.*\| (.*?) ?\|$", README, re.MULTILINE)


@pytest.fixture
def surroundings(surroundings):
    """With lines as wide as README.md shows them, and nothing said to squall from outside."""
    kept = {name: value for name, value in surroundings.items() if not name.startswith("SQUALL") and name != "CI"}
    return kept | {"COLUMNS": "100"}


@pytest.mark.parametrize("without", ["--squall=off", "-pno:squall"])
def test_all_seven_pass_without_squall(run_pytest, without):
    status, output, outcomes = run_pytest(FOLDER, without)
    assert (status, set(outcomes.values()), len(outcomes)) == (0, {"passed"}, 7)
    assert "squall:" not in output


def test_with_squall_one_passes_and_six_name_check_and_step(run_pytest):
    status, output, outcomes = run_pytest(FOLDER)
    assert status == 1
    assert [outcomes[test] for test, _ in ROWS] == ["passed", *["failure"] * 6]
    assert len(ROWS) == len(outcomes) == 7
    sections = re.split(r"^_+ (test_\w+) _+$", output, flags=re.MULTILINE)[1:]
    told = dict(zip(sections[::2], sections[1::2], strict=True))
    for test, checks in ROWS[1:]:
        assert re.findall(r"^E   (\w+)  ", told[test], re.MULTILINE) == re.findall(r"`(\w+)`", checks)
        assert re.search(r"\bsteps? \d", told[test])
    assert "squall: 7 runs checked, 6 failed by checks" in output


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_readme_shows_what_comes(run_pytest, command, shown):
    _, output, _ = run_pytest(FOLDER, *shlex.split(command)[1:])
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + "\n" for line in shown.splitlines()
    )
    lines = [line for line in output.rstrip().splitlines() if "generated xml file" not in line]
    assert re.fullmatch(pattern, "\n".join(lines) + "\n"), output


def test_the_files_that_the_readme_names_are_there():
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) >= 3
    assert [link for link in links if not (FOLDER / link).exists()] == []
