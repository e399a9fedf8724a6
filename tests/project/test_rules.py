"""House rules that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import PurePosixPath

import pytest

LINES = 500
VAGUE = {"common", "core", "helpers", "junkdrawer", "lib", "misc", "shared", "util", "utils"}

MARK = re.compile(
    r"#\s*(?:pragma: no (?:cover|branch)|noqa|type: ignore)(?:\[[\w, -]+\]|: ?[A-Z]+\d+(?:, ?[A-Z]+\d+)*)?(?P<rest>.*)"
)
REASON = re.compile(r"\w+\W+\w+")

# Spelt in pieces, so that this file does not hold what it looks for.
MACHINE = re.compile(
    "|".join((r"(?<![\w.~)}])/(?:work|root|opt)" + r"/", "/tmp" + "/v/", "file" + ":///(?:opt|work|root)"))
)
HOSTS = re.compile(
    "|".join(
        (
            r"\bpypi\." + "org",
            "python" + "hosted",
            "registry\\." + "npmjs",
            "deb\\." + "debian",
            "--(?:extra-)?index" + "-url",
        )
    )
)
LEFTOVERS = re.compile(
    "|".join(("^<{7} ", "^>{7} ", "(?i:co-authored" + "-by)", r"\bbreak" + r"point\(\)")), re.MULTILINE
)


def unreasoned(text):
    """Lines that switch a check off and do not say why, there or in a comment just above."""
    lines = text.splitlines()
    found = []
    for number, line in enumerate(lines, start=1):
        mark = MARK.search(line)
        above = lines[number - 2].strip() if number > 1 else ""
        if mark and not REASON.search(mark["rest"]) and not above.startswith("# "):
            found.append(number)
    return found


def unexplained_imports(text):
    """Lines that begin a block of imports inside a function without saying why they are not at the top."""
    lines = text.splitlines()
    inside = {
        node.lineno
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    return [
        n
        for n in sorted(inside)
        if n - 1 not in inside and "#" not in lines[n - 1] and not lines[n - 2].strip().startswith("#")
    ]


def places(texts, numbers_of):
    return [f"{path}:{number}" for path, text in texts.items() for number in numbers_of(text)]


def matches(pattern, texts):
    return [f"{path}: {found[0]}" for path, text in texts.items() for found in pattern.finditer(text)]


def of_the_package(texts):
    return {path: text for path, text in texts.items() if path.startswith("src/")}


def test_whoever_switches_a_check_off_says_why(python_files):
    assert (
        places({path: text for path, text in python_files.items() if path != "tests/project/test_rules.py"}, unreasoned)
        == []
    )


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("x = 1  # pragma: no cover", [1]),
        ("x = 1  # pragma: no cover - only on Windows", []),
        ("x = 1  # noqa: S101", [1]),
        ("x = 1  # noqa: S101, E501", [1]),
        ("x = 1  # noqa: S101 - asserted for mypy", []),
        ("x = 1  # type: ignore[arg-type]", [1]),
        ("x = 1  # type: ignore[arg-type]  # the stub lacks None", []),
        ("# the stub lacks None\nx = 1  # type: ignore[arg-type]", []),
        ("x = 1  # counted from zero", []),
    ],
)
def test_a_reason_is_two_words_or_more_beside_the_mark_or_a_comment_above(line, found):
    assert unreasoned(line) == found


def test_an_import_inside_a_function_says_why_it_is_there(python_files):
    assert places(of_the_package(python_files), unexplained_imports) == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("    import json", [2]),
        ("    import json  # only when asked", []),
        ("    # only when asked\n    import json\n    import csv", []),
        ("    pass", []),
    ],
)
def test_an_import_without_a_comment_is_found(body, found):
    assert unexplained_imports(f"def f():\n{body}\n") == found


def test_no_module_of_the_package_is_longer_than_a_reader_can_hold(python_files):
    lengths = {path: len(text.splitlines()) for path, text in of_the_package(python_files).items()}
    assert {path: length for path, length in lengths.items() if length >= LINES} == {}


def test_no_file_or_folder_has_a_name_that_says_nothing(tracked):
    assert [
        path for path in of_the_package(tracked) if VAGUE & {PurePosixPath(part).stem for part in path.split("/")}
    ] == []


def test_each_module_of_the_package_begins_with_what_it_is(python_files):
    assert [path for path, text in of_the_package(python_files).items() if not ast.get_docstring(ast.parse(text))] == []


def test_no_file_knows_the_machine_it_was_written_on(tracked):
    assert matches(MACHINE, tracked) == []


def test_no_file_names_a_registry(tracked):
    assert matches(HOSTS, tracked) == []


def test_no_file_holds_what_merging_or_debugging_left(tracked):
    assert matches(LEFTOVERS, tracked) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE, "see /wo" + "rk/x"),
        (MACHINE, "file" + ":///op" + "t/y"),
        (HOSTS, "https://py" + "pi.org/simple"),
        (LEFTOVERS, "<<<<" + "<<< HEAD"),
    ],
)
def test_such_traces_would_be_found(pattern, text):
    assert matches(pattern, {"a file": text}) != []


@pytest.mark.parametrize("text", ["at /network/", "src/work/", "{base}/root/", "<<<<<<<"])
def test_what_only_looks_like_one_is_left_alone(text):
    assert matches(MACHINE, {"a file": text}) + matches(LEFTOVERS, {"a file": text}) == []


@pytest.mark.parametrize(
    "call", ["datetime.datetime.now(datetime.UTC)", "datetime.datetime.utcnow()", "datetime.date.today()"]
)
def test_the_linter_refuses_the_machines_own_time_in_the_package(root, call):
    check = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--output-format=concise",
        "--stdin-filename",
        "src/squall/x.py",
        "-",
    ]
    text = f'"""Planted."""\n\nimport datetime\n\nNOW = {call}\n'
    report = subprocess.run(check, cwd=root, input=text, capture_output=True, text=True, check=False).stdout
    assert "TID251" in report
    assert "squall.clock" in report


def test_every_room_is_named_in_the_architecture(root):
    page = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {
        path.stem
        for path in (root / "src/squall").iterdir()
        if not path.name.startswith("_") and path.suffix in {"", ".py"}
    }
    assert {room for room in rooms if f"`{room}`" not in page} == set()


def test_the_architecture_fits_a_page(root):
    assert len((root / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 80


def test_what_a_change_must_pass_is_lint_and_tests(root):
    script = root / ".ci/run"
    assert script.stat().st_mode & 0o111
    assert re.findall(r"^make \w+", script.read_text(encoding="utf-8"), re.MULTILINE) == ["make lint", "make test"]
