"""Settings from their sources: what is said first counts, and what is said wrongly is told where it was."""

from __future__ import annotations

import pytest

from squall.checks import chosen as naming
from squall.checks import registry, sources
from squall.checks.check import Noop
from squall.checks.policy import Policy
from squall.checks.sources import from_environment, from_marker, from_options, from_pyproject, settings
from squall.errors import Position, UsageError


class Fails(Noop):
    name = "structural"
    default = "fail"


class Warns(Noop):
    name = "guess"
    default = "warn"


class Off(Noop):
    name = "abstention"


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """A few checks with names of their own, so that these tests know them all."""
    policy = next(check for check in registry.checks() if check.name == "policy")
    few = lambda: (Fails(), Warns(), Off(), policy)  # noqa: E731 - a function to put in the place of another
    monkeypatch.setattr(registry, "checks", few)
    monkeypatch.setattr(sources, "checks", few)
    monkeypatch.setattr(naming, "checks", few)


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project" / "tests").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def project(root):
    def write(text):
        (root / "pyproject.toml").write_text(text)
        return from_pyproject(root)

    return write


@pytest.fixture
def chosen(root, tmp_path):
    """Settings by what each source says, by its name."""

    def choose(marker=None, options=None, environ=None, pyproject=None):
        if pyproject is not None:
            (root / "pyproject.toml").write_text(pyproject)
        said = [] if marker is None else [from_marker(marker, base=root / "tests", at=Position("tests/test_a.py", 3))]
        said += [from_options(options or {}, base=tmp_path), from_environment(environ or {}, base=tmp_path)]
        return settings([*said, from_pyproject(root)], root=root)

    return choose


def told(choose, *args, **named):
    with pytest.raises(UsageError) as caught:
        choose(*args, **named)
    return str(caught.value)


def test_where_nothing_is_said_the_defaults_count(chosen):
    found = chosen()
    assert (found.mode, found.only, found.skip, found.redaction, found.reports) == ("fail", None, (), "builtin", {})
    assert found.options.policy is None
    assert found.policy_file is None


PYPROJECT = '[tool.squall]\nmode = "warn"\nredact = "off"\nchecks = "guess"\n'


def test_the_first_that_says_something_counts(chosen):
    marker, options, environ = {"mode": "off"}, {"mode": "fail"}, {"SQUALL": "warn"}
    assert chosen(marker, options, environ, PYPROJECT).mode == "off"
    assert chosen(None, options, environ, PYPROJECT).mode == "fail"
    assert chosen(None, None, {"SQUALL": "fail"}, PYPROJECT).mode == "fail"
    assert chosen(None, None, None, PYPROJECT).mode == "warn"


def test_each_key_is_decided_by_itself(chosen):
    found = chosen({"skip": ["structural"]}, {"checks": "structural,guess"}, {"SQUALL_REDACT": "builtin"}, PYPROJECT)
    assert (found.mode, found.only, found.skip) == ("warn", ("structural", "guess"), ("structural",))
    assert found.redaction == "builtin"


def test_an_option_that_is_not_given_and_an_empty_variable_say_nothing(chosen):
    assert chosen(None, {"mode": None, "checks": None}, {"SQUALL": "", "SQUALL_CHECKS": " "}).mode == "fail"


def test_off_in_a_marker_is_its_mode(chosen):
    assert chosen({"off": True}, {"mode": "fail"}).mode == "off"
    assert chosen({"off": False}, {"mode": "warn"}).mode == "warn"
    assert "off=True and mode= cannot stand in one marker" in told(chosen, {"off": True, "mode": "warn"})
    assert "off is True or False, not 'yes'" in told(chosen, {"off": "yes"})


def test_names_may_be_a_list_or_text_with_commas_and_other_names(chosen, monkeypatch):
    monkeypatch.setitem(registry.ALIASES, "old_name", "structural")
    assert chosen({"checks": "guess, old_name,guess"}).only == ("guess", "structural")
    assert chosen({"checks": ["guess", "old_name"]}).only == ("guess", "structural")


def test_default_and_all_stand_for_checks(chosen):
    assert chosen(None, {"checks": "default"}).only == ("structural", "guess", "policy")
    assert chosen(None, {"checks": "default,abstention"}).only == ("structural", "guess", "policy", "abstention")
    assert chosen(None, {"checks": "all"}).only == ("structural", "guess", "abstention", "policy")


def test_a_name_may_say_what_its_firing_means(chosen):
    found = chosen(None, {"checks": "guess=fail, abstention"}, None, '[tool.squall]\nmodes = { guess = "off" }')
    assert found.only == ("guess", "abstention")
    assert found.mode_of("guess", "warn") == "fail"
    assert found.mode_of("abstention", "off") == "fail"


@pytest.mark.parametrize("where", ["marker", "options", "environ", "pyproject"])
def test_a_check_that_is_off_fails_where_it_is_called_by_its_name_and_others_keep_their_defaults(chosen, where):
    said = {
        "marker": {"checks": ["default", "guess", "abstention"]},
        "options": {"checks": "default,guess,abstention"},
        "environ": {"SQUALL_CHECKS": "default,guess,abstention"},
        "pyproject": '[tool.squall]\nchecks = ["default", "guess", "abstention"]',
    }
    found = chosen(**{where: said[where]})
    modes = {"structural": "fail", "guess": "warn", "abstention": "off"}
    assert [found.mode_of(name, mode) for name, mode in modes.items()] == ["fail", "warn", "fail"]


def test_one_that_is_off_and_only_among_all_is_warned_of(chosen):
    found = chosen(None, {"checks": "all"})
    assert (found.mode_of("guess", "warn"), found.mode_of("abstention", "off")) == ("warn", "warn")


def test_what_is_said_of_its_mode_counts_more_than_that_it_is_named(chosen):
    far = '[tool.squall]\nmodes = { guess = "warn" }'
    found = chosen({"checks": "structural, abstention=warn"}, None, None, far.replace("guess", "structural"))
    assert (found.mode_of("structural", "fail"), found.mode_of("abstention", "off")) == ("warn", "warn")
    assert chosen({"checks": "abstention", "mode": "warn"}).mode_of("abstention", "off") == "warn"


def test_all_names_that_there_are_not_are_told_at_once(chosen):
    text = told(chosen, {"checks": "gess, structural, polcy, abstention=loud, nothing"})
    for words in ("check 'gess'; did you mean 'guess'", "check 'polcy'", "cannot be 'loud'", "check 'nothing'"):
        assert words in text
    assert text.count("test_a.py:3") == 4


def test_modes_of_single_checks_are_joined_over_the_sources(chosen):
    found = chosen(
        {"modes": {"guess": "fail"}}, None, None, '[tool.squall.modes]\nguess = "off"\nstructural = "warn"\n'
    )
    assert found.modes == {"guess": "fail", "structural": "warn"}


def test_a_farther_skip_or_off_takes_away_no_check_that_is_asked_for(chosen):
    far = '[tool.squall]\nskip = ["guess", "structural"]\nmodes = { structural = "off", guess = "fail" }'
    found = chosen({"checks": "guess,structural"}, None, None, far)
    assert found.mode_of("guess", "warn") == "fail"
    assert found.mode_of("structural", "fail") == "fail"
    near = chosen({"skip": "guess"}, {"checks": "guess,structural"})
    assert near.mode_of("guess", "warn") == "off"


def test_thresholds_and_names_of_tools_come_from_the_project(chosen):
    found = chosen(None, None, None, '[tool.squall]\nloop_min_steps = 8\nterminal_tools = ["submit"]\n')
    assert (found.options.loop_min_steps, found.options.terminal_tools) == (8, ("submit",))
    assert found.options.repeat_threshold == 3


def test_a_check_of_a_plug_in_is_given_its_own_table(chosen):
    found = chosen(None, None, None, "[tool.squall.guess]\nwords = 3\n")
    assert found.options.extra == {"guess": {"words": 3}}


def test_paths_start_where_their_source_is(chosen, root, tmp_path):
    for place in (tmp_path, root, root / "tests"):
        (place / "p.toml").write_text(f"max_calls = {len(place.parts)}\n")
    toml = '[tool.squall]\npolicy = "p.toml"\njson = "out/report.json"\nmarkdown = "a.md"\n'
    project = chosen(None, None, None, toml)
    assert project.policy_file == root / "p.toml"
    assert project.options.policy == Policy(max_calls=len(root.parts))
    assert chosen(None, None, {"SQUALL_POLICY": "p.toml"}, toml).policy_file == tmp_path / "p.toml"
    assert chosen(None, {"policy": "p.toml"}, {"SQUALL_POLICY": "x"}, toml).policy_file == tmp_path / "p.toml"
    assert chosen({"policy": "p.toml"}, {"policy": "x"}, None, toml).policy_file == root / "tests" / "p.toml"
    found = chosen(None, {"json": "r.json", "export_otlp": str(tmp_path / "o")}, None, toml)
    assert found.reports == {"json": tmp_path / "r.json", "markdown": root / "a.md", "export_otlp": tmp_path / "o"}


def test_the_policy_of_the_project_is_found_without_being_named(chosen, root):
    (root / ".faultline").mkdir()
    (root / ".faultline" / "policy.json").write_text('{"max_calls": 1}')
    assert chosen().options.policy == Policy(max_calls=1)
    (root / ".squall").mkdir()
    (root / ".squall" / "policy.toml").write_text("max_calls = 2")
    assert chosen().options.policy == Policy(max_calls=2)
    assert chosen().policy_file == root / ".squall" / "policy.toml"


def test_a_policy_may_stand_in_python_or_in_the_project_file(chosen):
    toml = "[tool.squall.policy]\nmax_calls = 3\n"
    assert chosen({"policy": {"max_calls": 2}}, None, None, toml).options.policy == Policy(max_calls=2)
    assert chosen({"policy": Policy(max_calls=1)}, None, None, toml).options.policy == Policy(max_calls=1)
    assert chosen(None, None, None, toml).options.policy == Policy(max_calls=3)
    assert chosen(None, None, None, toml).policy_file is None


def test_a_policy_is_read_only_where_it_is_used(chosen):
    assert chosen({"mode": "off", "policy": "no.toml"}).options.policy is None
    assert chosen({"skip": "policy", "policy": "no.toml"}).options.policy is None
    assert "there is no file" in told(chosen, {"policy": "no.toml"})


def test_a_project_without_settings_says_nothing(chosen, root):
    assert chosen(None, None, None, "[project]\nname = 'squall-user'\n").mode == "fail"
    (root / "pyproject.toml").unlink()
    assert chosen().mode == "fail"


WRONG = [
    ({"marker": {"chekcs": "guess"}}, "tests/test_a.py:3: there is no setting 'chekcs'; did you mean 'checks'?"),
    ({"marker": {"skip": ["gues"]}}, "tests/test_a.py:3: there is no check 'gues'; did you mean 'guess'?"),
    ({"marker": {"checks": 5}}, "tests/test_a.py:3: checks is names of checks, in a list or with commas, not 5"),
    ({"marker": {"checks": [5]}}, "tests/test_a.py:3: checks is names of checks, in a list or with commas, not [5]"),
    ({"marker": {"modes": ["guess"]}}, "tests/test_a.py:3: modes has a mode for each check"),
    ({"marker": {"policy": 5}}, "tests/test_a.py:3: policy is the path of a file, not 5"),
    ({"marker": {"policy": {"max_cals": 1}}}, "policy.max_cals: unknown key 'max_cals'; did you mean 'max_calls'?"),
    ({"options": {"mode": "fial"}}, "--squall: mode cannot be 'fial'; did you mean 'fail'?"),
    (
        {"options": {"checks": "guess=fial"}},
        "--squall-checks: the mode of guess cannot be 'fial'; did you mean",
    ),
    ({"options": {"checks": ","}}, "--squall-checks: checks names no check: ','"),
    ({"options": {"redact": "of"}}, "--squall-redact: redact cannot be 'of'; did you mean 'off'?"),
    ({"options": {"json": ""}}, "--squall-json: json is the path of a file, not ''"),
    ({"environ": {"SQUALL": "1"}}, "SQUALL: mode cannot be '1'"),
    ({"environ": {"SQUALL_CHECKS": "structurel"}}, "SQUALL_CHECKS: there is no check 'structurel'; did you mean"),
    (
        {"pyproject": '[tool.squall]\nmod = "warn"'},
        "pyproject.toml:2:1: there is no setting 'mod'; did you mean",
    ),
    ({"pyproject": "[tool]\nsquall = 5"}, "pyproject.toml:2:10: [tool.squall] is a table of settings, not 5"),
    ({"pyproject": "[tool.squall]\nloop_min_steps = 0"}, "pyproject.toml:2:1: loop_min_steps is a whole number from 1"),
    ({"pyproject": "[tool.squall]\noff = true"}, "pyproject.toml:2:1: there is no setting 'off'"),
    ({"pyproject": "[tool.squall.gues]\nx = 1"}, "there is no setting 'gues'"),
    ({"pyproject": "[tool.squall.policy]\nmax_calls = -1"}, "pyproject.toml:2:13: 'max_calls' must be"),
    ({"pyproject": "[tool.squall.modes]\ngues = 'off'"}, "there is no check 'gues'; did you mean 'guess'?"),
    ({"pyproject": "[tool.squall.modes]\nguess = 'of'"}, "the mode of guess cannot be 'of'; did you mean 'off'?"),
]


@pytest.mark.parametrize(("said", "words"), WRONG)
def test_what_is_said_wrongly_is_told_with_its_place_and_the_nearest(chosen, said, words):
    assert words in told(chosen, **said)


def test_all_that_is_wrong_anywhere_is_told_at_once(chosen):
    text = told(chosen, {"skip": "a"}, {"mode": "b"}, {"SQUALL_REDACT": "c"}, "[tool.squall]\nd = 1\nmax_attempts = 0")
    assert [line.partition(": ")[0].rpartition("/")[2] for line in text.splitlines() if not line.startswith(" ")] == [
        "test_a.py:3",
        "--squall",
        "SQUALL_REDACT",
        "pyproject.toml:2:1",
        "pyproject.toml:3:1",
    ]


def test_two_policies_of_a_project_are_refused(chosen, root):
    (root / ".squall").mkdir()
    for name in ("policy.json", "policy.yaml"):
        (root / ".squall" / name).write_text("{}")
    assert "there are two policies, policy.json and policy.yaml" in told(chosen)
