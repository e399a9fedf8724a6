"""What `pyproject.toml` promises, held against the code, the pins and the workflow."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import zipfile
from email.parser import Parser

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import squall


def pythons_of_the_classifiers(pyproject):
    return re.findall(r"Python :: (3\.\d+)", "\n".join(pyproject["project"]["classifiers"]))


def pins(root):
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_the_version_in_the_code_is_the_version_in_the_metadata():
    assert importlib.metadata.version("squall") == squall.__version__


def test_the_newest_heading_of_the_changelog_is_unreleased_or_this_version(root):
    headings = re.findall(r"^## \[(.+?)\]", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] in {"Unreleased", squall.__version__}


def test_the_workflow_runs_exactly_the_pythons_of_the_classifiers(root, pyproject):
    workflow = (root / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    matrix = re.search(r"python: \[(.+)\]", workflow)
    assert matrix is not None
    assert re.findall(r'"(3\.\d+)"', matrix[1]) == pythons_of_the_classifiers(pyproject)


def test_the_oldest_python_is_the_same_everywhere(root, pyproject):
    oldest = pythons_of_the_classifiers(pyproject)[0]
    assert pyproject["project"]["requires-python"] == f">={oldest}"
    assert pyproject["tool"]["mypy"]["python_version"] == oldest
    assert pyproject["tool"]["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
    assert f"sys.version_info < ({oldest.replace('.', ', ')})" in (root / "Makefile").read_text(encoding="utf-8")


def test_set_up_looks_for_every_python_that_the_classifiers_name(root, pyproject):
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    assert all(f"python{version}" in makefile for version in pythons_of_the_classifiers(pyproject))


def test_constraints_are_names_and_exact_versions_in_order_and_nothing_else(root):
    assert [pin for pin in pins(root) if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*==\d[\da-z.]*", pin)] == []
    assert pins(root) == sorted(set(pins(root)))


def test_whatever_set_up_installs_is_pinned(root, pyproject):
    pinned = {canonicalize_name(pin.partition("==")[0]) for pin in pins(root)}
    wanted = [Requirement(each) for each in pyproject["build-system"]["requires"]] + [Requirement("squall[dev]")]
    seen = set()
    while wanted:
        requirement = wanted.pop()
        for extra in requirement.extras or {""}:
            if (requirement.name, extra) in seen:
                continue
            seen.add((requirement.name, extra))
            try:
                needs = importlib.metadata.requires(requirement.name) or []
            except importlib.metadata.PackageNotFoundError:  # of another platform, or of the build alone
                continue
            wanted += [
                each
                for each in map(Requirement, needs)
                if each.marker is None or each.marker.evaluate({"extra": extra})
            ]
    names = {canonicalize_name(name) for name, _ in seen} - {"squall"}
    assert {"mcp", "pydantic-core", "pytest", "hatchling"} <= names
    assert names - pinned == set()


def test_the_wheel_holds_the_package_its_types_and_the_door_for_pytest(root, tmp_path):
    pytest.importorskip("hatchling", reason="the build backend is not installed here")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = f"squall-{squall.__version__}.dist-info"
        metadata = Parser().parsestr(archive.read(f"{about}/METADATA").decode())
        entry_points = archive.read(f"{about}/entry_points.txt").decode()
    modules = {path.relative_to(root / "src").as_posix() for path in (root / "src").rglob("*.py")}
    assert names >= {*modules, "_squall_pytest.py", "squall/py.typed", f"{about}/licenses/LICENSE"}
    assert {name.split("/")[0] for name in names} == {"squall", "_squall_pytest.py", about}
    assert metadata["Version"] == squall.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "squall = squall.cli:main" in entry_points
    assert "squall = _squall_pytest" in entry_points


def test_every_entry_point_loads():
    points = [each for each in importlib.metadata.distribution("squall").entry_points if each.name == "squall"]
    assert {each.group for each in points} == {"console_scripts", "pytest11"}
    assert all(each.load() for each in points)
