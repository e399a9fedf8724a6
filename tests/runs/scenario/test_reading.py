"""Everything that is wrong with a scenario is found before anything runs, at once, each with its place."""

from __future__ import annotations

import pytest

from tests.runs.scenario.texts import HEAD, LARGE, SCRIPT, STEPPED, STEPS, WORLD, fault


def test_what_is_right_is_not_refused(lab):
    lab.load(STEPPED + fault("timeout", step=1))
    lab.load(LARGE + fault("timeout", target="payments.issue_refund", nth=1))


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("sed = 3\n", "3:1: unknown key 'sed'; did you mean 'seed'?"),
        ("seed = 1.5\n", "3:8: 'seed' must be a whole number, not 1.5"),
        ("seed = 99999999999999999999\n", "3:8: the number 99999999999999999999 is too large"),
        ("description = 3\n", "3:15: 'description' must be text, not 3"),
        ("world = ''\n", "3:9: 'world' cannot be ''"),
    ],
)
def test_the_head_is_held_to_its_shape(lab, more, problem):
    assert any(each.startswith(f"scenario.toml:{problem}") for each in lab.wrong_with(HEAD + more + STEPS))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ('""', "'name' cannot be ''"),
        ('"  "', "begins or ends with a blank"),
        ('" pay"', "begins or ends with a blank"),
        ('"pay\\nback"', "holds '\\n', which cannot be seen"),
        ('"pay\\u202Eback"', "holds '\\u202e', which cannot be seen"),
        ('"pay\\u200Bback"', "holds '\\u200b', which cannot be seen"),
        (f'"{"x" * 201}"', "should have at most 200 characters"),
        ("7", "'name' must be text, not 7"),
    ],
)
def test_a_name_that_nobody_could_read_is_refused(lab, name, problem):
    (wrong,) = lab.wrong_with(f"[scenario]\nname = {name}\n{STEPS}")
    assert wrong.startswith("scenario.toml:2:8: ")
    assert problem in wrong


@pytest.mark.parametrize("name", ["rückerstattung", "払い戻し", "a/b", "../../etc", "CON", "x" * 200, "👩‍💻"[:1]])
def test_a_name_may_be_in_any_language_and_leads_nowhere(lab, name, tmp_path):
    ran = lab.run(f'[scenario]\nname = "{name}"\n{STEPS}')
    assert ran.record.scenario == name
    assert "/" not in ran.record.name()
    assert ".." not in ran.record.name()


def test_problems_come_in_the_order_of_the_file_whatever_finds_them(lab):
    text = (
        'wrold = "w.yaml"\n[scenario]\nname = "pay"\nsed = 3\n'
        '[[steps]]\ntool = ""\nresult = inf\n'
        '[[faults]]\nkind = "tiemout"\nstep = 0\n'
        '[[faults]]\nkind = "timeout"\nstep = 4\n'
        '[expect]\nstatus = "done"\nchecks = ["no_anser"]\n'
        "[limits]\ntokens = 0\nsteps = 0\n"
    )
    assert lab.wrong_with(text) == [
        "scenario.toml:1:1: unknown key 'wrold'; did you mean 'world'?",
        "scenario.toml:4:1: unknown key 'sed'; did you mean 'seed'?",
        "scenario.toml:6:8: 'tool' cannot be '': string should have at least 1 character",
        "scenario.toml:7:10: inf is no number that JSON has",
        "scenario.toml:9:8: unknown kind of fault 'tiemout'; did you mean 'timeout'?",
        "scenario.toml:13:8: there is no step 4; did you mean '0'?",
        "scenario.toml:15:10: 'status' cannot be 'done'",
        "scenario.toml:16:11: unknown check 'no_anser'; did you mean 'no_answer'?",
        "scenario.toml:18:10: 'tokens' must be greater than or equal to 1, not 0",
        "scenario.toml:19:9: 'steps' must be greater than or equal to 1, not 0",
    ]


def test_what_is_wrong_in_the_files_that_it_names_is_told_with_the_rest(lab):
    lab.write("world.yaml", WORLD.replace("int[1..]", "itn"))
    lab.write("script.toml", SCRIPT.replace("say", "sai"))
    lab.write("policy.json", '{"alow": []}')
    text = LARGE + 'sed = 3\n[expect]\npolicy = "policy.json"\nchecks = ["nothing_known"]\n'
    wrong = lab.wrong_with(text + fault("tiemout", target="payments.issue_refund", nth=1))
    assert [each.partition(": ")[0] for each in wrong] == [
        "scenario.toml:6:1",
        "scenario.toml:9:11",
        "scenario.toml:12:8",
        "world.yaml:5:46",
        "script.toml:7:1",
        "policy.json:1:2",
    ]


def test_a_world_that_is_wrong_still_tells_which_faults_cannot_be(lab):
    lab.write("world.yaml", WORLD.replace("int[1..]", "itn"))
    wrong = lab.wrong_with(LARGE + fault("timeout", target="payments.isue_refund", nth=1))
    assert "scenario.toml:9:10: unknown target 'payments.isue_refund'; did you mean 'payments.issue_refund'?" in wrong
    right = lab.wrong_with(LARGE + fault("timeout", target="payments.issue_refund", nth=1))
    assert [each for each in right if each.startswith("scenario")] == []


def test_of_a_world_that_cannot_even_be_read_faults_are_taken_on_trust(lab):
    lab.write("world.yaml", "name: [shop")
    wrong = lab.wrong_with(LARGE + fault("timeout", target="payments.anything", nth=1))
    assert [each.partition(":")[0] for each in wrong] == ["world.yaml"]


@pytest.mark.parametrize("key", ["world", "provider"])
def test_a_missing_file_is_told_where_it_is_named(lab, key):
    name = {"world": "wrold.yaml", "provider": "scirpt.toml"}[key]
    (wrong,) = lab.wrong_with(f'{key} = "{name}"\n{HEAD}')
    assert wrong.startswith(f"scenario.toml:1:{len(key) + 4}: there is no file '{name}'; did you mean ")


def test_a_missing_policy_is_told_where_it_is_named(lab):
    (wrong,) = lab.wrong_with(f'{STEPPED}\n[expect]\npolicy = "policy.json"\n')
    assert wrong.startswith("scenario.toml:16:10: there is no file 'policy.json'")


def test_a_folder_is_no_file(lab):
    (lab.folder / "worlds").mkdir()
    (wrong,) = lab.wrong_with(f'world = "worlds"\n{HEAD}')
    assert wrong.startswith("worlds: this is a folder, not a file")


@pytest.mark.parametrize("name", ["/tmp/world.yaml", "~/world.yaml", "worlds\\\\world.yaml"])
@pytest.mark.parametrize("key", ["world", "provider", "policy"])
def test_a_file_that_no_other_machine_has_is_refused(lab, key, name):
    text = f'{key} = "{name}"\n{HEAD}' if key != "policy" else f'{STEPPED}\n[expect]\npolicy = "{name}"\n'
    (wrong,) = lab.wrong_with(text)
    assert wrong.endswith("can be found on this machine alone")


def test_rows_from_a_file_that_no_other_machine_has_are_refused(lab):
    rows = lab.write("rows.csv", "id,order,amount\n1,7,5\n")
    lab.write("world.yaml", WORLD.replace("    operations:", f"    seed: {{ from: {rows} }}\n    operations:"))
    (wrong,) = lab.wrong_with(f'world = "world.yaml"\n{HEAD}')
    assert wrong.startswith("world.yaml:6:19: ")
    assert wrong.endswith("can be found on this machine alone")


# both forms


@pytest.mark.parametrize("other", ["world", "provider"])
def test_steps_and_a_world_or_a_model_do_not_go_together(lab, other):
    name = {"world": "world.yaml", "provider": "script.toml"}[other]
    wrong = lab.wrong_with(f'{other} = "{name}"\n{STEPPED}')
    assert wrong == [f"scenario.toml:5:3: a scenario has steps or a {other}, not both"]


def test_a_scenario_without_anything_to_do_is_refused(lab):
    (wrong,) = lab.wrong_with(HEAD)
    assert wrong == "scenario.toml:1:1: the scenario 'pay' has nothing to do"


@pytest.mark.parametrize("key", ["task", "world", "provider"])
def test_a_key_at_both_places_is_refused(lab, key):
    value = {"task": "Pay.", "world": "world.yaml", "provider": "script.toml"}[key]
    rest = "" if key == "world" else 'world = "world.yaml"\n'
    wrong = lab.wrong_with(f'{key} = "{value}"\n{rest}{HEAD}{key} = "{value}"\n')
    assert wrong == [f"scenario.toml:1:1: {key!r} is given twice"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"{LARGE}\n[expect]\nsteps = false\n", "8:1: there are no steps to expect something of"),
        (f'world = "world.yaml"\n{HEAD}[limits]\ntokens = 5\n', "5:1: there is no model to use tokens"),
        (f"{STEPPED}\n[limits]\ntoken = 5\n", "16:1: unknown key 'token'; did you mean 'tokens'?"),
        (
            f'{STEPPED}\n[expect]\nproperties = [{{ property = "no_orphans" }}]\n',
            "there is no world to have properties",
        ),
        (f'{STEPPED}\n[expect]\nchecks = ["policy"]\n', "16:11: there is no policy to check"),
        (f'{STEPPED}\n[expect]\nchecks = ["no_answer", "no_answer"]\n', "the check 'no_answer' is named twice"),
        (f'{STEPPED}\n[expect]\nanswer_contains = ""\n', "'answer_contains' cannot be ''"),
        (f'{STEPPED}\n[expect]\nanswer_contains = [""]\n', "item 1 of 'answer_contains' cannot be ''"),
        (f"{STEPPED}\n[prices]\ncall = -1\n", "'call' must be greater than or equal to 0, not -1"),
        (f"{STEPPED}\n[prices]\ncall = inf\n", "inf is no number that JSON has"),
        (f'{STEPPED}\n[limits]\nseconds = "soon"\n', "'soon' is no length of time"),
        (f"{STEPPED}\n[limits]\nseconds = 0\n", "'seconds' must be greater than 0, not 0"),
    ],
)
def test_what_says_nothing_in_its_form_is_refused(lab, text, problem):
    assert any(problem in each for each in lab.wrong_with(text))


# what no run could be stored with


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("nan", "12:32: nan is no number that JSON has"),
        ("[1, -inf]", "12:36: -inf is no number that JSON has"),
        ("{ a = 18446744073709551616 }", "12:38: the number 18446744073709551616 is too large"),
    ],
)
def test_data_that_no_trace_could_hold_are_refused(lab, value, problem):
    text = STEPPED.replace('arguments = { order = "7", amount = 40 }', f'arguments = {{ order = "7", x = {value} }}')
    assert lab.wrong_with(text) == [f"scenario.toml:{problem}"]


def test_times_in_arguments_are_texts(lab):
    text = STEPPED.replace("amount = 40", "at = 2025-06-01T10:00:00Z, on = 2025-06-01, by = 10:30:00")
    step = lab.load(text).task.steps[1]
    assert step.arguments == {"order": "7", "at": "2025-06-01T10:00:00Z", "on": "2025-06-01", "by": "10:30:00"}
    assert lab.run(text).record.met


def test_the_largest_whole_numbers_pass(lab):
    text = STEPPED.replace("amount = 40", f"most = {2**63 - 1}, least = {-(2**63)}")
    assert lab.run(text).record.met


# handlers

HANDLED = WORLD.replace(
    "      list_refunds", "      approve: { kind: custom, handler: rules.approve }\n      list_refunds"
)


def test_handlers_are_loaded_or_refused(lab):
    lab.write("rules.py", "def approve(world, clock, order: str):\n    return {}\n")
    lab.write("world.yaml", HANDLED)
    assert lab.load(LARGE).files["rules.py"].startswith("def approve")
    wrong = lab.wrong_with(LARGE, handlers=False)
    assert any(each.startswith("world.yaml:") for each in wrong)


def test_a_property_that_is_a_function_is_loaded_or_refused(lab):
    lab.write("rules.py", "def small(world):\n    pass\n")
    text = f'{LARGE}\n[expect]\nproperties = ["rules.small"]\n'
    assert sorted(lab.load(text).files) == ["rules.py", "script.toml", "world.yaml"]
    assert lab.wrong_with(text, handlers=False) == ["scenario.toml:8:15: 'rules.small' names a function"]


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("rules.smal", "has no 'smal' for the handler 'rules.smal'; did you mean 'small'?"),
        ("rulse.small", "there is no module 'rulse' for the handler 'rulse.small'; did you mean 'rules'?"),
        ("small", "'small' names no handler"),
        ("rules.two", "rules.two does not take a world alone"),
        ("rules.MOST", "is not a function but 5"),
    ],
)
def test_a_property_that_is_no_function_of_a_world_is_refused(lab, reference, problem):
    lab.write("rules.py", "MOST = 5\ndef small(world):\n    pass\ndef two(world, other):\n    pass\n")
    (wrong,) = lab.wrong_with(f'{LARGE}\n[expect]\nproperties = ["{reference}"]\n')
    assert wrong.startswith("scenario.toml:8:15: ")
    assert problem in wrong
