from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import _squall_pytest
import squall

IMPORTED = """
    import sys

    def test_imported():
        print("LOADED", *sorted(name for name in sys.modules if name.partition(".")[0] in {names}))
"""
DOOR = {"squall", "squall.version", "squall.postimport"}  # the last one waits for an SDK


def loaded(session, code, names):
    """The modules of `names` that a session of its own has loaded when its last test runs."""
    body = IMPORTED.replace("{names}", repr(set(names)))
    done = session(code + body, "-s", "-p", "no:xdist", apart=True)
    return (
        set(done.line("LOADED").split()[1:])
        if "\nLOADED" in done.text
        else set(next(line for line in done.text.splitlines() if "LOADED" in line).split("LOADED")[1].split())
    )


def test_a_session_without_squall_loads_the_door_alone(session):
    names = loaded(session, "", ["squall", "pydantic", "msgspec", "ruamel", "mcp", "rich", "typer"])
    assert names == DOOR


def test_a_session_that_merely_has_async_tests_loads_their_guard_alone(session):
    code = """
    import pytest

    @pytest.mark.asyncio
    async def test_it(): pass
"""
    names = loaded(session, code, ["squall", "pydantic", "msgspec", "ruamel", "mcp", "rich", "typer", "statistics"])
    assert names == DOOR | {"squall.pytest_plugin"} | {f"squall.pytest_plugin.{name}" for name in ("awaited", "runs")}


def test_tests_that_are_only_repeated_load_no_world(session):
    code = """
    import pytest

    @pytest.mark.runs(2)
    def test_it(): pass
"""
    names = loaded(session, code, ["squall", "pydantic", "msgspec", "ruamel", "mcp", "rich", "typer"])
    assert "squall.pytest_plugin.gate" in names
    assert {name for name in names if not name.startswith("squall")} == set()
    assert not any(name.startswith(("squall.worlds", "squall.runs.environment", "squall.clock")) for name in names)


def test_pytest_does_not_rewrite_squalls_modules(tmp_path):
    about = tmp_path / "squall-0.dist-info"  # as a wheel would be installed
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: squall\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[pytest11]\nsquall = _squall_pytest\n")
    for name in ("squall", "_squall_pytest.py"):
        (tmp_path / name).symlink_to(Path(squall.__path__[0]) if name == "squall" else _squall_pytest.__file__)
    (about / "RECORD").write_text("squall/__init__.py,,\nsquall/errors.py,,\n_squall_pytest.py,,\n")
    (tmp_path / "test_it.py").write_text(
        "import squall.errors\n"
        "def test_it():\n"
        "    assert type(squall.errors.__loader__).__name__ == 'SourceFileLoader'\n"
        "    assert type(__loader__).__name__ == 'AssertionRewritingHook'\n"
    )
    child = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(
        child, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_options_and_markers_are_explained(session):
    text = session(None, "--help").text
    assert "--squall-seed=N" in text
    assert "--squall-traces=DIR" in text
    assert "--runs=N" in text
    markers = session(None, "--markers", "--strict-markers").text
    assert "@pytest.mark.min_pass_rate(r, confidence=None): the runs are reported as one result" in markers
    assert "squall: the clock of this run." in session("def test_it(): pass", "--fixtures").text


def test_doctests_and_plain_items_are_left_alone(session, pytester):
    pytester.makepyfile(module='"""\n>>> 1 + 1\n2\n"""\n')
    assert session("def test_it(): pass", "--doctest-modules", "module.py", "test_it.py").counts == {"passed": 2}
