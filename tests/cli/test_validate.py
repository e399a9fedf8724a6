"""`squall validate`: all that is wrong, at once, each with its place."""

from __future__ import annotations

import pytest

BROKEN = """\
services:
  till:
    records: { sale: { id: str, amount: flot } }
    operations:
      sell: { kind: create, record: sale }
      pay: { kind: custom, handler: not_there.pay }
faults:
  till.sell: { errors: { timeot: 0.1, http_500: 1.5 } }
"""


def test_what_is_right_is_said_to_be(squall, good):
    done = squall("validate", good)
    assert done == (0, "good.yaml: a world, 1 operation, 1 fault rule: nothing wrong\n", "")


def test_everything_wrong_in_every_file_is_found_at_once(squall, write, good):
    write("broken.yaml", BROKEN)
    write(
        "plan.yaml", "faults:\n  - { target: till.sell, kind: timeot, nth: 1 }\n  - { target: x, kind: hang, nth: 0 }\n"
    )
    write("cut.yaml", "not: [valid")
    done = squall("validate", "broken.yaml", "plan.yaml", "cut.yaml", "nowhere.yaml", good)
    assert done.status == 2
    assert done.out == "good.yaml: a world, 1 operation, 1 fault rule: nothing wrong\n"
    for problem in (
        "error: broken.yaml:3:41: unknown type 'flot'; did you mean 'float'?",
        "error: broken.yaml:6:37: there is no module 'not_there' for the handler 'not_there.pay'",
        "error: broken.yaml:8:26: unknown kind of fault 'timeot'; did you mean 'timeout'?",
        "error: broken.yaml:8:49: 1.5 is no probability",
        "error: plan.yaml:2:32: unknown kind of fault 'timeot'; did you mean 'timeout'?",
        "error: plan.yaml:3:35: 'nth' must be",
        "error: cut.yaml:1:12: this is not valid YAML",
        "error: there is no file 'nowhere.yaml'",
    ):
        assert problem in done.err
    assert "Traceback" not in done.err
    assert "nothing wrong" not in done.err


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_traceback_is_shown_when_it_is_asked_for(squall, write, place):
    write("cut.yaml", "not: [valid")
    args = ["--debug", "validate", "cut.yaml"] if place == "before" else ["validate", "cut.yaml", "--debug"]
    done = squall(*args)
    assert done.status == 2
    assert "Traceback (most recent call last)" in done.err
    assert "this is not valid YAML" in done.err


def test_a_plan_is_checked_against_a_world(squall, write, good):
    write("plan.yaml", "faults: [{ target: till.sel, kind: timeout, nth: 1 }]\n")
    done = squall("validate", "plan.yaml")
    assert done == (0, "plan.yaml: a fault plan: nothing wrong, as far as can be told without --world\n", "")
    done = squall("validate", "plan.yaml", "--world", good)
    assert done.status == 2
    assert "plan.yaml:1:20: unknown target 'till.sel'; did you mean 'till.sell'?" in done.err


def test_a_wrong_world_does_not_hide_what_is_wrong_with_the_plan(squall, write):
    write("broken.yaml", BROKEN)
    write("plan.yaml", "faults: [{ target: till.sell, kind: timeot, nth: 1 }]\n")
    done = squall("validate", "plan.yaml", "--world", "broken.yaml")
    assert done.status == 2
    assert "broken.yaml:3:41: unknown type 'flot'" in done.err
    assert "plan.yaml:1:37: unknown kind of fault 'timeot'" in done.err


def test_the_same_problem_is_told_once(squall, write):
    write("broken.yaml", BROKEN)
    done = squall("validate", "broken.yaml", "broken.yaml", "--world", "broken.yaml")
    assert done.err.count("unknown type 'flot'") == 1


def test_no_handlers_runs_no_code(squall, write, tmp_path):
    write("rules.py", "from pathlib import Path\nPath('ran').touch()\ndef pay(world, clock): pass\n")
    write("world.yaml", "services: { till: { operations: { pay: { kind: custom, handler: rules.pay } } } }\n")
    done = squall("validate", "--no-handlers", "world.yaml")
    assert done.status == 2
    assert "world.yaml:1:65: handler 'rules.pay' is Python code, and no handlers may run here" in done.err
    assert not (tmp_path / "ran").exists()
    assert squall("validate", "world.yaml").status == 0
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("plan.toml", '[[faults]]\ntarget = "till.sell"\nkind = "hang"\nnth = 1\n', "a fault plan, 1 fault rule"),
        (
            "plan.json",
            '{"faults": {"till.*": {"errors": {"hang": 0.1, "timeout": 0}}}}',
            "a fault plan, 2 fault rules",
        ),
        ("bare.yaml", "default: { latency_ms: 5 }\n", "a fault plan, 1 fault rule"),
        ("empty.yaml", "faults: []\n", "a fault plan, 0 fault rules"),
    ],
)
def test_plans_of_every_format_and_form_are_read(squall, write, good, name, text, said):
    done = squall("validate", "--world", good, write(name, text))
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{name}: {said}: nothing wrong\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.json", "[1, 2]"),
        ("word.yaml", "hello\n"),
        ("number.json", "5"),
        ("null.yaml", "faults: 5\n"),
        ("binary.yaml", "\x00\x01"),
        ("deep.json", "[" * 5000),
        ("services.yaml", "services: 5\n"),
        ("faults.yaml", "services: {}\nfaults: [5]\n"),
        ("plan.txt", "faults: []\n"),
    ],
)
def test_hostile_files_are_problems_and_no_crashes(squall, write, name, text):
    done = squall("validate", write(name, text))
    assert done.status == 2
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err


def test_a_folder_is_no_file(squall, good):
    done = squall("validate", ".")
    assert done.status == 2
    assert "this is a folder, not a file" in done.err


def test_faults_of_a_world_that_is_wrong_are_held_against_its_operations(squall, write):
    world = BROKEN + "  till.sel: { errors: { timeout: 0.1 } }\n  till.pay: { errors: { timeout: 0.1 } }\n"
    write("broken.yaml", world)
    write("plan.yaml", "faults: [{ target: till.pai, kind: timeout, nth: 1 }]\n")
    done = squall("validate", "broken.yaml", "plan.yaml", "--world", "broken.yaml")
    assert "broken.yaml:9:3: unknown target 'till.sel'; did you mean 'till.sell'?" in done.err
    assert "plan.yaml:1:20: unknown target 'till.pai'; did you mean 'till.pay'?" in done.err
    assert "unknown target 'till.pay'" not in done.err


@pytest.mark.parametrize("kind", ["stale", "duplicate_delivery", "timeout"])
def test_what_is_not_known_of_an_operation_is_taken_on_trust(squall, write, kind):
    rule = f"[{{ target: till.show, kind: {kind}, nth: 1 }}, {{ target: till.show, kind: tiemout, nth: 1 }}]"
    write("broken.yaml", BROKEN.partition("faults:")[0] + f"      show: {{ kind: fetch }}\nfaults: {rule}\n")
    done = squall("validate", "broken.yaml")
    assert "'kind' cannot be 'fetch'" in done.err
    assert "unknown kind of fault 'tiemout'" in done.err
    assert "never fire" not in done.err


@pytest.mark.parametrize("key", ["service", "srvices", "name"])
def test_a_file_that_was_meant_for_a_world_is_read_as_one(squall, write, key):
    value = "x" if key == "name" else "{ a: {} }"
    write("misspelt.yaml", f"{key}: {value}\n")
    done = squall("validate", "misspelt.yaml")
    assert done.status == 2
    wanted = "missing key 'services'" if key == "name" else f"unknown key '{key}'; did you mean 'services'?"
    assert wanted in done.err


def test_a_file_without_services_or_faults_is_said_to_be_read_as_a_plan(squall, write):
    write("plan.yaml", "shop: { records: {} }\n")
    done = squall("validate", "plan.yaml")
    assert "plan.yaml:1:1: this is read as a fault plan, since it has no 'services'" in done.err
    write("rules.yaml", "faults: { a.b: 5 }\n")
    assert "read as a fault plan" not in squall("validate", "rules.yaml").err


STEPPED = """\
[scenario]
name = "stepped"

[[steps]]
tool = "pay"
result = { ok = true }

[[faults]]
kind = "timeout"
step = 0
"""


def test_a_scenario_is_told_from_other_files(squall, write, good):
    write("stepped.toml", STEPPED)
    write("script.toml", '[[turn]]\nsay = "done"\n')
    write("both.toml", f'world = "{good}"\nprovider = "script.toml"\n[scenario]\nname = "both"\n')
    write("model.toml", 'provider = "script.toml"\n[scenario]\nname = "model"\n')
    done = squall("validate", "stepped.toml", "both.toml", "model.toml")
    assert done.out.splitlines() == [
        "stepped.toml: a scenario, 1 step, 1 fault: nothing wrong",
        "both.toml: a scenario, a world and a model, 0 faults: nothing wrong",
        "model.toml: a scenario, a model, 0 faults: nothing wrong",
    ]
    assert (done.status, done.err) == (0, "")


def test_all_that_is_wrong_with_a_scenario_and_its_files_is_found_at_once(squall, write):
    write("broken.yaml", BROKEN)
    write("script.toml", '[[turn]]\nsai = "done"\n')
    write("one.toml", 'world = "broken.yaml"\nprovider = "script.toml"\n[scenario]\nnam = "one"\n[limits]\nsteps = 0\n')
    write("two.toml", STEPPED.replace("step = 0", "step = 3").replace("timeout", "tiemout"))
    done = squall("validate", "one.toml", "two.toml")
    assert (done.status, done.out) == (2, "")
    for problem in (
        "error: one.toml:4:1: unknown key 'nam'; did you mean 'name'?",
        "error: one.toml:6:9: 'steps' must be greater than or equal to 1, not 0",
        "error: broken.yaml:3:41: unknown type 'flot'; did you mean 'float'?",
        "error: script.toml:2:1: unknown key 'sai'; did you mean 'say'?",
        "error: two.toml:9:8: unknown kind of fault 'tiemout'; did you mean 'timeout'?",
    ):
        assert problem in done.err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('scenario = "x"\n', "'scenario' is 'x', and no table"),
        ('[[steps]]\ntool = "x"\n', "this is no scenario: it has no [scenario] table"),
        ('[scenaro]\nname = "x"\n', "Is 'scenaro' meant?"),
    ],
)
def test_what_was_meant_for_a_scenario_is_read_as_one(squall, write, text, problem):
    write("meant.toml", text)
    done = squall("validate", "meant.toml")
    assert done.status == 2
    assert problem in done.err
