"""What holds for a test: its markers, options, the environment, `pyproject.toml`, and mistakes in each of them."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.conftest import INI

LOOPS = """
def test_it():
    agent(LOOP)
"""


def project(pytester, text):
    (pytester.path / "pyproject.toml").write_text(f"[tool.squall]\n{text}\n", encoding="utf-8")


@pytest.mark.parametrize("mode", ["off", "warn", "fail"])
def test_the_option_says_what_a_check_that_fires_means(suite, mode):
    done = suite(LOOPS, f"--squall={mode}")
    assert done.counts == ({"failed": 1} if mode == "fail" else {"passed": 1})
    assert ("squall: 1 run checked" in done.text) == (mode != "off")
    assert ("  warning: repeated_tool_call  find(q='x')" in done.text) == (mode == "warn")


def test_without_the_plug_in_nothing_happens(suite):
    done = suite(LOOPS, "-p", "no:squall", "-p", "no:_squall_pytest")
    assert done.counts == {"passed": 1}
    assert "squall:" not in done.text


@pytest.mark.parametrize(
    ("marker", "option", "variable", "file", "outcome"),
    [
        (None, None, None, "warn", "passed"),
        (None, None, "fail", "warn", "failed"),
        (None, "warn", "fail", None, "passed"),
        ("fail", "warn", "warn", "warn", "failed"),
        ("fail", "off", None, None, "failed"),
        ("warn", None, None, None, "passed"),
        ("off", None, None, None, "passed"),
    ],
)
def test_the_nearest_source_counts(suite, pytester, monkeypatch, marker, option, variable, file, outcome):
    if variable:
        monkeypatch.setenv("SQUALL", variable)
    if file:
        project(pytester, f'mode = "{file}"')
    mark = f"@pytest.mark.checks(mode={marker!r})" if marker else ""
    done = suite(LOOPS.replace("\ndef", f"\n{mark}\ndef"), *([f"--squall={option}"] if option else []))
    assert done.counts == {outcome: 1}, done.text


@pytest.mark.parametrize(
    ("marker", "outcome"),
    [
        ('skip="repeated_tool_call"', "passed"),
        ('skip=["repeated_call"]', "passed"),
        ('checks="no_answer, policy"', "passed"),
        ('checks="repeated_call"', "failed"),
        ("off=True", "passed"),
        ("off=False", "failed"),
        ('policy={"deny_patterns": ["q"]}, checks="policy"', "failed"),
    ],
)
def test_a_marker_says_which_checks_hold_for_a_test(suite, marker, outcome):
    done = suite(LOOPS.replace("\ndef", f"\n@pytest.mark.checks({marker})\ndef"))
    assert done.counts == {outcome: 1}, done.text


def test_a_class_and_a_module_are_marked_too_and_the_nearest_marker_counts(suite):
    done = suite("""
pytestmark = pytest.mark.checks(skip="repeated_tool_call")

def test_module():
    agent(LOOP)

@pytest.mark.checks(skip="no_answer")
class TestIt:
    def test_class(self):
        agent(LOOP)

    @pytest.mark.checks(off=True)
    def test_function(self):
        agent(LOOP)
""")
    assert done.counts == {"failed": 1, "passed": 2}
    assert "test_class" in done.line("FAILED")


def test_a_test_for_which_checks_are_off_is_listed_and_says_so(suite, report):
    suite(LOOPS.replace("\ndef", "\n@pytest.mark.checks(off=True)\ndef"), report.option)
    assert [(run["skipped"] or "")[:26] for run in report.runs] == ["checks are off for this te"]
    assert report.runs[0]["model_calls"] == 4


def test_thresholds_stand_in_the_projects_file(suite, pytester):
    project(pytester, "repeat_threshold = 4")
    assert suite(LOOPS).counts == {"passed": 1}


def test_paths_are_where_they_were_said(suite, pytester):
    pytester.mkdir("sub")
    (pytester.path / "sub/policy.json").write_text('{"deny_patterns": ["x"]}')
    done = suite(LOOPS.replace("\ndef", '\n@pytest.mark.checks(policy="sub/policy.json", checks="policy")\ndef'))
    assert "policy at step 2" in done.line("FAILED")
    project(pytester, 'policy = "sub/policy.json"\nchecks = ["policy"]')
    assert "policy at step 2" in suite(LOOPS).line("FAILED")
    project(pytester, "")
    done = suite(LOOPS, "--squall-policy=sub/policy.json", "--squall-checks=policy")
    assert "policy at step 2" in done.line("FAILED")


def test_all_that_is_wrong_in_options_and_variables_is_told_at_once_before_any_test(suite, monkeypatch, pytester):
    monkeypatch.setenv("SQUALL_REDACT", "all")
    pytester.mkdir("folder")
    done = suite(LOOPS, "--squall=wrn", "--squall-checks=serch_loop", "--squall-json=folder")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    for words in (
        "--squall: mode cannot be 'wrn'; did you mean 'warn'?",
        "--squall-checks: there is no check 'serch_loop'; did you mean 'search_loop'?",
        "SQUALL_REDACT: redact cannot be 'all'",
        "folder: it is a folder",
    ):
        assert words in done.text
    assert "collected" not in done.text


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_all_that_is_wrong_in_markers_is_told_at_once_with_its_place(suite, workers):
    done = suite(
        """
@pytest.mark.checks(skp="no_answer")
def test_one(): pass

@pytest.mark.checks("no_answer")
def test_two(): pass

@pytest.mark.checks(checks="no_anser")
def test_three(): pass

@pytest.mark.world("nowhere.yaml")
def test_four(world): pass
""",
        *workers,
    )
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    for words in (
        "test_it.py:10:9: there is no setting 'skp'; did you mean 'skip'?",
        "test_it.py:13:9: the marker checks takes names, not 'no_answer'",
        "test_it.py:16:9: there is no check 'no_anser'; did you mean 'no_answer'?",
        "nowhere.yaml",
        "4 problems, so nothing was run",
    ):
        assert words in done.text


def test_what_is_wrong_in_the_projects_file_is_told_before_any_test(suite, pytester):
    project(pytester, 'mode = "loud"\nrepeat_treshold = 4')
    done = suite(LOOPS)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "pyproject.toml:2:1: mode cannot be 'loud'" in done.text
    assert "pyproject.toml:3:1: there is no setting 'repeat_treshold'; did you mean 'repeat_threshold'?" in done.text
    assert done.counts == {}


def test_what_is_wrong_is_told_at_the_end_where_the_sdk_came_with_a_test(session, suite, pytester):
    project(pytester, 'mode = "loud"')
    code = """
def test_it():
    from suite_agents import FINE, agent
    assert agent(FINE) == "done"
"""
    done = session(code, apart=True)
    assert done.counts == {"passed": 1}
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "pyproject.toml:2:1: mode cannot be 'loud'" in done.text


def test_a_session_without_an_agent_does_not_read_the_projects_settings(session, pytester):
    project(pytester, 'mode = "loud"')
    assert session("def test_it(): pass", apart=True).counts == {"passed": 1}


def test_the_marker_is_known_to_pytest(session):
    assert "@pytest.mark.checks(checks=None, skip=None" in session(None, "--markers").text


THEIRS = """
@pytest.mark.checks("smoke")
def test_one():
    agent(FINE)

@pytest.mark.checks(level=3)
class TestIt:
    def test_two(self):
        agent(LOOP)
"""
LEFT_ALONE = "says nothing to squall's checks, and is left alone"


@pytest.mark.parametrize("options", [(), ("-W", "error")])
def test_a_marker_of_that_name_that_is_the_suites_own_is_left_alone_and_told_of_once(suite, options):
    done = suite(THEIRS, *options)
    assert done.counts == {"passed": 1, "failed": 1, "warnings": 1}
    assert done.text.count(LEFT_ALONE) == 1
    assert "the marker checks('smoke'), and 1 more, says" in done.text
    assert "test_it.py:10" in done.text


def test_a_marker_that_the_suite_has_declared_is_its_own_whatever_it_says(suite, pytester):
    pytester.makeini(INI + "markers =\n    checks(name): what we check\n")
    code = THEIRS.replace("smoke", "policy")
    done = suite(code)
    assert done.counts == {"passed": 1, "failed": 1}
    assert suite(code.replace("level=3", "off=True")).counts == {"passed": 2}


def test_a_marker_without_a_word_says_nothing(suite):
    assert suite(LOOPS.replace("\ndef", "\n@pytest.mark.checks\ndef")).counts == {"failed": 1}


@pytest.mark.parametrize("mark", ['"no_anser"', '"no_answer, policy"', '"default"', "skp=[]", '"smoke", off=True'])
def test_a_marker_that_nearly_says_something_to_squall_is_a_mistake(suite, mark):
    done = suite(LOOPS.replace("\ndef", f"\n@pytest.mark.checks({mark})\ndef"))
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "test_it.py:10:9" in done.text
