from __future__ import annotations

import importlib
import sys

import pytest

from squall.runs.strategies.identity import digest_of

PACKAGE = {
    "pack/__init__.py": "",
    "pack/agent.py": "from pack import parts\nimport beside\n",
    "pack/parts.py": "A = 1\n",
    "pack/data.txt": "A prompt.",
    "beside.py": "B = 1\n",
    "far.py": "C = 1\n",
}
SINGLE = {
    "single.py": "import near\nfrom helper import deep\nimport json\n",
    "near.py": "import nearer\n",
    "nearer.py": "D = 1\n",
    "helper/__init__.py": "",
    "helper/deep.py": "E = 1\n",
    "helper/other.py": "F = 1\n",
    "far.py": "C = 1\n",
}
OPEN = {"spread/agent.py": "from spread import parts\n", "spread/parts.py": "G = 1\n", "spread/other.py": "H = 1\n"}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """`project(files, module)`: writes the files, imports the module, and gives what tells its digest."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def make(files, module):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        importlib.invalidate_caches()
        importlib.import_module(module)

        def changing(name):
            """Whether another text of this file makes another digest."""
            old = digest_of([module])
            (tmp_path / name).write_text(files.get(name, "") + "# changed\n")
            new = digest_of([module])
            (tmp_path / name).write_text(files.get(name, ""))
            return new != old

        return changing

    yield make
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(
            getattr(sys.modules[name], "__file__", "") or getattr(sys.modules[name], "__path__", "")
        ):
            del sys.modules[name]


def parts(changing, names):
    return [name for name in names if changing(name)]


def test_a_package_counts_as_a_whole_and_what_it_imports_from_beside(project):
    changing = project(PACKAGE, "pack.agent")
    assert parts(changing, PACKAGE) == ["pack/__init__.py", "pack/agent.py", "pack/parts.py", "beside.py"]
    assert changing("pack/new.py")


def test_a_single_module_counts_with_all_that_it_imports_from_its_folder(project):
    changing = project(SINGLE, "single")
    assert parts(changing, SINGLE) == ["single.py", "near.py", "nearer.py", "helper/__init__.py", "helper/deep.py"]


def test_a_folder_without_a_file_of_its_own_is_no_package_to_count_as_a_whole(project):
    changing = project(OPEN, "spread.agent")
    assert parts(changing, OPEN) == ["spread/agent.py", "spread/parts.py"]


def test_of_an_installed_module_its_neighbours_do_not_count(project, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    files = {"site-packages/alone.py": "import other\n", "site-packages/other.py": "I = 1\n"}
    changing = project(files, "alone")
    assert parts(changing, files) == ["site-packages/alone.py"]


def test_both_modules_of_an_object_count(project):
    project({"one.py": "X = 1\n", "two.py": "Y = 1\n"}, "one")
    importlib.import_module("two")
    assert len({digest_of(["one"]), digest_of(["two"]), digest_of(["one", "two"])}) == 3
    assert digest_of(["one", "two"]) == digest_of(["two", "one", "two"])


def test_where_it_lies_does_not_count(project, tmp_path, monkeypatch):
    project({"one.py": "X = 1\n"}, "one")
    first = digest_of(["one"])
    del sys.modules["one"]
    other = tmp_path / "deeper"
    other.mkdir()
    (other / "one.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(str(other))
    importlib.invalidate_caches()
    assert importlib.import_module("one").__file__ == str(other / "one.py")
    assert digest_of(["one"]) == first


@pytest.mark.parametrize("module", ["builtins", "nowhere", "_io"])
def test_what_has_no_sources_has_no_digest(module):
    assert digest_of([module]) == ""


def test_squalls_own_are_told_by_their_folder():
    assert digest_of(["squall.runs.strategies.baseline"]) == digest_of(["squall.runs.strategies.resilient"])
