"""The files that a module needs from its own surroundings, read off the source alone."""

from __future__ import annotations

import pytest

from squall.runs.scenario.sources import closure, package_files


@pytest.fixture
def found(tmp_path):
    def of(**files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/').replace('INIT', '__init__')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return [path.relative_to(tmp_path).as_posix() for path in closure(tmp_path / "main.py", (tmp_path,))]

    return of


@pytest.mark.parametrize(
    "line",
    [
        "import a",
        "import a as b",
        "from a import X",
        "from a import *",
        "def f():\n    import a",
        "if True:\n    from a import X",
    ],
)
def test_every_way_to_import_counts(found, line):
    assert found(main=line, a="X = 1", b="X = 2") == ["a.py", "main.py"]


def test_what_is_imported_is_followed_and_circles_end(found):
    assert found(main="import a", a="import b", b="import a, main", c="") == ["a.py", "b.py", "main.py"]


def test_packages_bring_what_they_are_made_of(found):
    files = {"main": "from p.q import r", "p__INIT": "", "p__q__INIT": "from . import s", "p__q__r": "", "p__q__s": ""}
    assert found(**files) == ["main.py", "p/__init__.py", "p/q/__init__.py", "p/q/r.py", "p/q/s.py"]


def test_folders_without_a_file_of_their_own_are_packages_too(found):
    assert found(main="import p.q", p__q="from p import r", p__r="") == ["main.py", "p/q.py", "p/r.py"]


def test_names_from_above_are_followed(found):
    assert found(main="import p.q", p__INIT="", p__q="from ..a import X\nfrom .r import Y", p__r="", a="X = 1") == [
        "a.py",
        "main.py",
        "p/__init__.py",
        "p/q.py",
        "p/r.py",
    ]


def test_installed_modules_are_left_out(found):
    assert found(main="import json, pytest, not_there") == ["main.py"]


@pytest.mark.parametrize("text", ["def (", "\0", "import \udcff".encode("utf-8", "surrogateescape").decode("latin-1")])
def test_what_cannot_be_read_needs_nothing(found, text):
    assert found(main=text) == ["main.py"]


def test_a_package_is_all_of_its_files(tmp_path):
    for name in ("b.py", "a/c.py", "data.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert [path.name for path in package_files(tmp_path)] == ["c.py", "b.py"]
