"""`squall validate` on the files of `squall model`: what is told apart, and what is found wrong."""

from __future__ import annotations

import pytest

from squall.cli.of_models import kind_of

SCRIPT = '[[turn]]\nsay = "hello"\n'


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"turn": []}, "script"),
        ({"rule": [], "models": ["a"]}, "script"),
        ({"handler": "a.b"}, "script"),
        ({"models": {"m": {}}}, "scenarios"),
        ({"models": {"m": {}}, "sentinelss": []}, "scenarios"),
        ({"sentinels": ["a"]}, "scenarios"),
        ({"models": ["a"]}, "scenarios"),
        ({"faults": {}}, None),
        ({"gpt-5": {"errors": {"http_503": 0.1}}}, None),
        ({}, None),
        ([], None),
        (None, None),
    ],
)
def test_a_file_is_told_by_its_keys(data, kind):
    assert kind_of(data) == kind


def test_both_are_found_right(squall, write):
    scenarios = write("s.toml", '[models.a]\nstatus = 503\n[models.b]\nscript = "script.toml"\n')
    done = squall("validate", write("script.toml", SCRIPT), scenarios)
    assert done.status == 0
    assert done.out == "script.toml: a script for models: nothing wrong\ns.toml: scenarios of 2 models: nothing wrong\n"


def test_what_is_wrong_is_told_with_its_place(squall, write):
    files = [
        write("script.toml", SCRIPT.replace("say", "sya")),
        write("s.toml", "[models.a]\nstatuss = 503\n"),
        write("weather.toml", '[models.a]\nfaults = [{ kind = "htp_503" }]\n'),
    ]
    done = squall("validate", *files)
    assert done.status == 2
    assert "script.toml:2:1: unknown key 'sya'" in done.err
    assert "s.toml:2:1: unknown key 'statuss'; did you mean 'status'?" in done.err
    assert "weather.toml:2:20: unknown kind of fault 'htp_503'; did you mean 'http_503'?" in done.err


def test_a_scripts_handler_may_be_refused(squall, write):
    done = squall("validate", "--no-handlers", write("python.toml", 'handler = "brains.answer"\n'))
    assert done.status == 2
    assert "python.toml:1:11: handler 'brains.answer' is Python code" in done.err
