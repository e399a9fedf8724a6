"""A plug-in package with checks of its own, built and installed as any other, and what a session makes of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from squall.version import __version__

PACKAGE = Path(__file__).parent / "sample_package"
OTHERS = ("asyncio", "hypothesispytest", "langsmith_plugin", "timeout", "rerunfailures", "xdist", "anyio")
SOURCE = Path(__file__).parents[2] / "src"
AGENT = """
import squall


def answers(text):
    message = {"role": "assistant", "content": text}
    response = {"choices": [{"message": message, "finish_reason": "stop"}]}
    squall.record_model_call(messages=[{"role": "user", "content": "What?"}], response=response)


def test_short():
    answers("Tea.")


def test_long():
    answers("so " * 60)


def test_china():
    answers("China.")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder that the package is installed into."""
    folder = tmp_path_factory.mktemp("site")
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


@pytest.fixture(scope="module")
def session(site, tmp_path_factory):
    """`session(*args)`: pytest over the agent's tests, beside the package: its exit status, output and report."""

    def run(*args, more=(), pyproject=""):
        folder = tmp_path_factory.mktemp("session")
        (folder / "test_agent.py").write_text(AGENT)
        (folder / "pyproject.toml").write_text(f"[tool.pytest.ini_options]\n{pyproject}")
        door = () if _installed() else ("-p", "_squall_pytest")
        without = [part for name in OTHERS for part in ("-p", f"no:{name}")]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *door, *without, "--squall-json=report.json", *args],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(site), *map(str, more)])},
        )
        report = folder / "report.json"
        found = json.loads(report.read_text()) if report.is_file() else None
        return done.returncode, done.stdout + done.stderr, found

    return run


@pytest.fixture(scope="module")
def usual(session):
    """A session in which nobody says anything."""
    return session()


def _installed():
    return any(point.value == "_squall_pytest" for point in entry_points(group="pytest11"))


def another(folder, name, **points):
    """A further distribution that names these things as checks."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "".join(f"{key} = {value}\n" for key, value in points.items())
    (about / "entry_points.txt").write_text(f"[squall.checks]\n{lines}")
    return folder


def verdicts(report, test):
    (entry,) = [each for each in report["runs"] if each["test"].endswith(test)]
    return {each["check"]: each for each in entry["verdicts"]}


def test_its_checks_run_after_squalls_own_and_fail_a_test(usual):
    code, text, report = usual
    assert code == 1
    assert report["version"] == __version__
    assert list(verdicts(report, "test_short"))[-2:] == ["answer_length", "brittle"]
    assert not verdicts(report, "test_short")["answer_length"]["fired"]
    found = verdicts(report, "test_long")["answer_length"]
    assert (found["verdict"], found["step"]) == ("fail", 1)
    assert "1 failed, 2 passed, 1 warning" in text
    told = text.splitlines()
    words = next(place for place, line in enumerate(told) if "the answer has 60 words" in line)
    assert "50 are allowed" in told[words + 1]  # a line for each part of a reason


def test_one_that_breaks_says_nothing_of_the_run_and_is_told(usual):
    _, text, report = usual
    assert verdicts(report, "test_china")["brittle"]["verdict"] == "unknown"
    assert report["summary"]["fired"] == {"answer_length": 1}
    assert "  brittle: check crashed: LookupError" in text.splitlines()
    assert "no such shelf" in text  # the warning has its traceback


def test_it_is_asked_for_by_name_and_told_what_stands_in_its_table(session):
    code, _, report = session("--squall-checks=answer_length", pyproject="[tool.squall.answer_length]\nwords = 60\n")
    assert (code, report["summary"]["fired"]) == (0, {})
    assert list(verdicts(report, "test_long")) == ["answer_length"]


def test_what_is_wrong_in_its_table_is_told_at_once(session):
    code, text, _ = session(pyproject='[tool.squall.answer_length]\nwords = "many"\nletters = 3\n')
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "pyproject.toml:2" in text
    assert "answer_length: words is a whole number from 1 on, not 'many'" in text
    assert "answer_length: there is no option 'letters', only words" in text


def test_a_name_that_is_taken_twice_ends_the_session(session, tmp_path):
    more = another(tmp_path / "more", "other-checks", longer="squall_sample_checks:AnswerLength")
    code, text, _ = session(more=[more])
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "'longer' = 'squall_sample_checks:AnswerLength' of squall.checks is a check named 'answer_length'" in text
    assert "has taken" in text


def test_all_that_is_wrong_with_plug_ins_is_told_at_once(session, tmp_path):
    wrong = {
        "loud": "squall_sample_checks:Loud",
        "gone": "squall_sample_checks:GONE",
        "number": "squall_sample_checks:MOST",
    }
    code, text, _ = session(more=[another(tmp_path / "more", "bad-checks", **wrong)])
    assert code == pytest.ExitCode.USAGE_ERROR
    for part in (
        "its name is 'Very Loud'",
        "its default is 'loud'",
        "it has no method run",
        "AttributeError",
        "its name is None",
    ):
        assert part in text
