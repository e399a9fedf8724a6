"""A plug-in package with a strategy of its own, built and installed as any other, and what the lab makes of it."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from squall import UsageError
from squall.runs.strategies.finding import strategy_named
from tests.runs.strategies.scenarios import TWO, fault

PACKAGE = Path(__file__).parent / "sample_package"
MODULE = "squall_sample_strategies"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder that the package is installed into."""
    folder = tmp_path_factory.mktemp("site") / "site-packages"
    pip = "pip install --quiet --no-index --no-deps --no-build-isolation --no-compile --disable-pip-version-check"
    done = subprocess.run(
        [sys.executable, "-m", *pip.split(), "--target", str(folder), str(PACKAGE)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PIP_CONFIG_FILE": os.devnull},
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def site(installed, monkeypatch):
    """The same folder, where Python finds it."""
    monkeypatch.syspath_prepend(str(installed))
    yield installed
    for name in [name for name in sys.modules if name.partition(".")[0] == MODULE]:
        del sys.modules[name]


def another(folder, name, **points):
    """A further distribution that names these things as strategies."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "".join(f"{key} = {value}\n" for key, value in points.items())
    (about / "entry_points.txt").write_text(f"[squall.strategies]\n{lines}")
    return str(folder)


def test_it_is_found_by_its_name_and_runs(lab, site):
    chosen = strategy_named("patient")
    assert (chosen.id.name, chosen.id.parameters, chosen.id.how) == ("patient", {"times": 5}, "patient")
    assert (chosen.id.deterministic, chosen.clock, len(chosen.id.digest)) == (True, "virtual", 64)
    assert lab.run(TWO + fault(kind="http_503", step=1, repeat=5), chosen).met


def test_a_helper_of_its_package_is_a_part_of_it(site):
    before = strategy_named("patient").id.digest
    helper = site / MODULE / "patience.py"
    text = helper.read_text()
    (site / "elsewhere.py").write_text("ELSEWHERE = 1\n")
    assert strategy_named("patient").id.digest == before
    helper.write_text(text + "# more\n")
    try:
        assert strategy_named("patient").id.digest != before
    finally:
        helper.write_text(text)
    assert strategy_named("patient").id.digest == before


def test_one_that_does_not_load_is_told(site):
    with pytest.raises(UsageError) as raised:
        strategy_named("broken")
    assert str(raised.value) == (
        "the strategy 'broken' (squall_sample_strategies.broken:Broken) cannot be loaded: LookupError: no such shelf\n"
        "    Mend or uninstall its package."
    )


def test_a_name_that_is_misspelt_has_a_nearest(site):
    with pytest.raises(UsageError) as raised:
        strategy_named("pateint")
    text = str(raised.value)
    assert "there is no strategy 'pateint'; did you mean 'patient'?" in text
    assert "There are baseline, resilient, careless, " in text


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("patient", f"'patient': {MODULE}:Patient and other:Other"),
        ("baseline", "'baseline': squall's own and other:Other"),
    ],
)
def test_a_name_that_two_packages_give_is_told(site, tmp_path, monkeypatch, name, told):
    monkeypatch.syspath_prepend(another(tmp_path / "more", "other-strategies", **{name: "other:Other"}))
    importlib.invalidate_caches()
    if name != "baseline":
        with pytest.raises(UsageError, match="Uninstall one of the packages"):
            strategy_named("patient")
    with pytest.raises(UsageError) as raised:
        strategy_named("anything")
    text = str(raised.value).replace(f"other:Other and {MODULE}:Patient", f"{MODULE}:Patient and other:Other")
    assert f"two strategies are called {told}" in text
    assert strategy_named("baseline").id.name == "baseline"


def test_the_same_thing_installed_twice_is_one(site, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(another(tmp_path / "more", "same-strategies", patient=f"{MODULE}:Patient"))
    assert strategy_named("patient").id.name == "patient"
