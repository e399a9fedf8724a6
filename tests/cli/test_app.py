"""The command as a whole: version, help, what it says of words that it does not know, and output that nobody reads."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from squall.cli.app import app
from squall.version import __version__


def test_the_version_is_the_packages(squall):
    assert squall("--version") == (0, f"squall {__version__}\n", "")


def test_without_a_command_it_helps(squall):
    done = squall()
    assert done.status == 2
    assert "validate" in done.out + done.err


def test_each_command_says_in_one_line_what_it_does(squall, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, _, commands = squall("--help").out.partition("Commands:\n")
    lines = [line.split(maxsplit=1) for line in commands.splitlines() if line.strip()]
    assert [len(words) for words in lines] == [2] * len(app.registered_commands)
    assert [name for name, said in lines if not said.endswith(".") or said.endswith("...")] == []


@pytest.mark.parametrize("command", ["validate", "verify", "schema"])
def test_each_command_helps(squall, command):
    done = squall(command, "--help")
    assert done.status == 0
    assert "Usage: squall" in done.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["vrify"], "No such command 'vrify'. Did you mean 'verify'?"),
        (["validate", "--worl", "x"], "No such option: --worl"),
        (["validate"], "Missing argument"),
        (["verify"], "Missing argument"),
        (["schema", "world", "x"], "unexpected extra argument"),
    ],
)
def test_words_that_it_does_not_know_are_wrong_input(squall, args, said):
    done = squall(*args)
    assert done.status == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_reader_who_has_gone_is_no_crash():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "squall", "schema", "world"], stdout=gone, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a file that is always full")  # noqa: PTH110 - at import
def test_a_full_disk_is_said_without_a_traceback():
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - no path of ours
        done = subprocess.run(
            [sys.executable, "-m", "squall", "schema", "world"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: [Errno 28]")
    assert b"Traceback" not in done.stderr


def test_what_a_terminal_cannot_show_is_said_in_what_it_can(squall, monkeypatch):
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(said, encoding="latin-1", write_through=True))
    assert squall("validate", "a–b.toml").status == 2
    assert b"there is no file 'a\\u2013b.toml'" in said.getvalue()
