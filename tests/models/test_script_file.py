"""Script files: what they mean, and what is said of those that are wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from pydantic import TypeAdapter

from squall.call import Message, Reply, ToolUse, Usage
from squall.errors import UsageError
from squall.models import NoMatch, call, calls, expect, load_brain, refuse, rule, say
from squall.models.conditions import Conditions
from squall.models.script_spec import ConditionsSpec, ScriptSpec

WHOLE = """
models = ["gpt-5", "gpt-5-mini"]
sentinels = ["4111"]
strict_history = false

[[turn]]
expect = { user = ["order", { matches = "o[0-9]+" }], offers = "get_order", headers = { X-Tenant = "acme" } }
call = "get_order"
arguments = { id = "o1", deep = { list = [1, 2.5, true] } }
call_id = "call_1"
reasoning = "Look it up."

[[turn]]
expect = { tool = "get_order", result_has = "shipped", results_ok = true }
say = "It is on its way."
usage = { input = 9, output = 3, cached = 2 }
finish_reason = "length"

[[turn]]
say = "One moment."
calls = [{ call = "a" }, { call = "b", arguments = '{"x": 1', call_id = "call_2" }]

[[turn]]
refuse = "No."
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(text, name="script.toml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return make


def loaded(name) -> Any:
    return load_brain(name)


def told(name, **more):
    with pytest.raises(UsageError) as caught:
        load_brain(name, **more)
    return str(caught.value)


def test_a_file_of_turns_is_the_script_that_one_would_write_in_python(script):
    file = loaded(script(WHOLE))
    assert [(turn.reply, turn.expects) for turn in file.brain.turns] == [
        (turn.reply, turn.expects)
        for turn in (
            call("get_order", id="o1", deep={"list": [1, 2.5, True]}, call_id="call_1", reasoning="Look it up.").after(
                expect(user=["order", re.compile("o[0-9]+")], offers="get_order", headers={"x-tenant": "acme"})
            ),
            say("It is on its way.", usage=Usage(9, 3, cached=2), finish_reason="length").after(
                expect(tool="get_order", result_has="shipped", results_ok=True)
            ),
            say("One moment.", call("a"), call("b", '{"x": 1', call_id="call_2")),
            refuse("No."),
        )
    ]
    assert (file.models, file.strict_history) == (("gpt-5", "gpt-5-mini"), False)


def test_it_answers_and_tells_what_was_not_used_by_its_lines(script, asked):
    file = loaded(script('[[turn]]\nsay = "Hi"\n\n[[turn]]\ncall = "get"\n'))
    assert file.answer(asked("Hello")) == Reply("Hi")
    assert file.unused() == ["turn 2 of 2 (script.toml:4:1), call get {}, was never used"]
    assert (file.models, file.strict_history) == ((), True)


def test_no_match_names_the_line(script, asked):
    file = loaded(script('[[turn]]\nsay = "Hi"\nexpect = { user = "order" }\n'))
    with pytest.raises(NoMatch) as caught:
        file.answer(asked("Hello"))
    assert caught.value.nearest == (
        "turn 1 of 1 (script.toml:1:1), say 'Hi', is due, but the last user message lacks 'order': 'Hello'"
    )


def test_sentinels_stand_guard_over_each_kind_of_brain(script, asked):
    script("def brain(request): return 'Hi'\n", "brains.py")
    for text in ('[[turn]]\nsay = "Hi"', '[[rule]]\nthen = { say = "Hi" }', 'handler = "brains.brain"'):
        file = loaded(script(f'sentinels = ["4111"]\n{text}'))
        assert file.answer(asked("Hello")) == Reply("Hi")
        with pytest.raises(NoMatch, match="4111"):
            file.answer(asked("4111"))


def test_a_file_of_rules_is_the_rules_that_one_would_write_in_python(script, asked):
    file = loaded(
        script(
            "[[rule]]\n"
            'when = { user = { matches = "(?i)refund|money back" }, turn = 1 }\n'
            'then = { call = "issue_refund", arguments = { order = "o1" } }\n'
            "[[rule]]\n"
            'then = { say = "Hi" }\n'
        )
    )
    written = (
        rule(user=re.compile("(?i)refund|money back"), turn=1, then=call("issue_refund", order="o1")),
        rule(then=say("Hi")),
    )
    assert [(each.when, each.then) for each in file.brain.rules] == [(each.when, each.then) for each in written]
    assert file.answer(asked("My money BACK")).calls == (ToolUse("issue_refund", '{"order":"o1"}'),)
    assert file.unused() == ["rule 2 of 2 (script.toml:4:1), anything: say 'Hi', was never used"]


def test_a_handler_is_a_function_beside_the_file(script, asked):
    script("def brain(request):\n    return request.model\n", "brains.py")
    assert loaded(script('handler = "brains.brain"')).answer(asked("Hi")) == Reply("gpt-5")


def test_a_handler_runs_only_where_handlers_may(script):
    script("raise SystemExit\n", "brains.py")
    assert told(script('handler = "brains.brain"'), handlers=False) == (
        "script.toml:1:11: handler 'brains.brain' is Python code, and no handlers may run here\n"
        "    Load it with handlers=True (without --no-handlers) if you trust the code, or write turns or rules."
    )


def test_yaml_and_json_say_the_same(script, asked):
    assert loaded(script("turn:\n  - say: Hi\n", "s.yaml")).answer(asked("a")) == Reply("Hi")
    assert loaded(script('{"turn": [{"say": "Hi"}]}', "s.json")).answer(asked("a")) == Reply("Hi")


KEYS = (
    "user, user_lacks, says, lacks, system, model, offers, headers, tool, result_has, result_lacks, result_json, "
    "results_ok, turn"
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[[turns]]\nsay = 'x'",
            (
                "script.toml:1:3: unknown key 'turns'; did you mean 'turn'?\n"
                "    Valid keys here: turn, rule, handler, sentinels, strict_history, models."
            ),
        ),
        (
            "models = ['gpt-5']",
            "script.toml:1:1: the file says nothing of what the model answers\n    Add [[turn]], [[rule]] or handler.",
        ),
        (
            "handler = 'a.b'\n[[turn]]\nsay = 'x'",
            "script.toml:1:1: turn and handler cannot stand in one file\n    Keep one of them.",
        ),
        (
            "[[turn]]\nsai = 'x'",
            (
                "script.toml:2:1: unknown key 'sai'; did you mean 'say'?\n"
                "    Valid keys here: say, call, arguments, call_id, calls, refuse, usage, finish_reason, reasoning, "
                "expect."
            ),
        ),
        (
            "[[turn]]\nreasoning = 'x'",
            'script.toml:1:1: nothing is said here\n    Add say = "text", call = "tool", calls or refuse.',
        ),
        (
            "[[turn]]\nsay = 'x'\nrefuse = 'y'",
            "script.toml:3:1: say and refuse cannot stand in one reply\n    Take one out.",
        ),
        (
            "[[turn]]\nsay = 'x'\narguments = {}",
            "script.toml:3:1: 'arguments' stands here without 'call'\n    Add call, the tool that they are for.",
        ),
        (
            "[[turn]]\ncalls = [{ call = 'a' }]\ncall_id = 'x'",
            "script.toml:3:1: 'call_id' stands here without 'call'\n    Move it into calls.",
        ),
        (
            "[[turn]]\nsay = 'x'\nexpect = { usr = 'x', turn = 0, results_ok = 'yes' }",
            (
                f"script.toml:3:12: unknown key 'usr'; did you mean 'user'?\n    Valid keys here: {KEYS}.\n"
                "script.toml:3:30: 'turn' must be greater than or equal to 1, not 0\n    Write 1 or more.\n"
                "script.toml:3:46: 'results_ok' must be true or false, not 'yes'\n    Write true or false."
            ),
        ),
        (
            "[[turn]]\nsay = 'x'\nexpect = { user = 5, says = ['a', { matches = '(' }], lacks = { match = 'x' } }",
            (
                "script.toml:3:19: 'user' must be a list or text or a mapping, not 5\n"
                '    Write a list ([a, b]) or text ("text") or a mapping ({ key: value }).\n'
                "script.toml:3:47: '(' is no regular expression: missing ), unterminated subpattern at position 0\n"
                "    Mend it.\n"
                "script.toml:3:65: unknown key 'match'; did you mean 'matches'?\n    Valid keys here: matches."
            ),
        ),
        (
            "[[turn]]\nsay = 'x'\nexpect = { user = '', says = [], offers = [''] }",
            (
                "script.toml:3:19: expect(user=…) is empty, and empty text stands everywhere\n"
                "    Write the text, or take it out.\n"
                "script.toml:3:30: expect(says=…) is an empty list, and asks for nothing\n"
                "    Write text, or take it out.\n"
                "script.toml:3:43: expect(offers=…) cannot be ''\n    Write a tool's name."
            ),
        ),
        (
            "[[turn]]\nsay = 'x'\nexpect = {}",
            "script.toml:3:10: expect() expects nothing\n    Write expect(user='text'), for example.",
        ),
        (
            "[[turn]]\ncall = 'x'\narguments = {a = nan}\n[[turn]]\ncalls = [{ call = 'y', arguments = {b = inf} }]",
            (
                "script.toml:3:13: call('x'): arguments are not JSON: Out of range float values are "
                "not JSON compliant\n"
                "    Use text, numbers, booleans, None, lists and mappings.\n"
                "script.toml:5:36: call('y'): arguments are not JSON: Out of range float values are "
                "not JSON compliant\n"
                "    Use text, numbers, booleans, None, lists and mappings."
            ),
        ),
        (
            "[[turn]]\nsay = 'x'\nusage = { input = -1 }",
            (
                "script.toml:3:1: missing key 'output' in 'usage'\n    Add it.\n"
                "script.toml:3:19: 'input' must be greater than or equal to 0, not -1\n    Write 0 or more."
            ),
        ),
        (
            "[[rule]]\nthen = { say = 'x' }\n[[rule]]\nwhen = { turn = 1 }\nthen = { say = 'y' }",
            (
                "script.toml:3:1: rule 2 can never match: rule 1 before it answers everything\n"
                "    Move it up, or take it out."
            ),
        ),
        (
            "[[rule]]\nwhen = { user = 'x' }\nthan = { say = 'y' }",
            "script.toml:3:1: unknown key 'than'; did you mean 'then'?\n    Valid keys here: when, then.",
        ),
        (
            "[[rule]]\nwhen = { user = '' }\nthen = { call = 'y', arguments = { a = nan } }",
            (
                "script.toml:2:17: when(user=…) is empty, and empty text stands everywhere\n"
                "    Write the text, or take it out.\n"
                "script.toml:3:34: call('y'): arguments are not JSON: Out of range float values are "
                "not JSON compliant\n"
                "    Use text, numbers, booleans, None, lists and mappings."
            ),
        ),
        (
            "[[turn]\nsay = 'x'",
            "script.toml:1:7: this is not valid TOML: expected ']]' at the end of an array declaration",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_what_to_do(script, text, says):
    assert told(script(text)) == says


@pytest.mark.parametrize(
    ("handler", "says"),
    [
        (
            "brains.bran",
            "script.toml:1:11: brains.py has no 'bran' for the handler 'brains.bran'; did you mean 'brain'?",
        ),
        (
            "brians.brain",
            "script.toml:1:11: there is no module 'brians' for the handler 'brians.brain'; did you mean 'brains'?",
        ),
        (
            "brains.two",
            (
                "script.toml:1:11: the brain two (brains.py:2) cannot be called with a request: "
                "missing a required argument: 'b'\n"
                "    Write def brain(request): …"
            ),
        ),
    ],
)
def test_a_handler_that_does_not_serve_is_told_with_its_place(script, handler, says):
    script("def brain(request): ...\ndef two(request, b): ...\n", "brains.py")
    assert told(script(f"handler = '{handler}'")).startswith(says)


def test_a_file_that_is_not_there_is_told(script):
    script("", "script.toml")
    assert "there is no file 'scrip.toml'; did you mean 'script.toml'?" in told("scrip.toml")


def test_conditions_in_files_are_those_of_python():
    assert set(ConditionsSpec.model_fields) == set(Conditions.__struct_fields__)


def test_the_shape_has_a_json_schema_in_which_each_key_is_described():
    schema = TypeAdapter(ScriptSpec).json_schema()
    shapes = [schema, *schema["$defs"].values()]
    assert [name for each in shapes for name, key in each["properties"].items() if "description" not in key] == []


def test_a_script_is_called_what_its_reader_says(tmp_path):
    (tmp_path / "script.toml").write_text('[[turn]]\nexpect = { tool = "f" }\nsay = "done"\n')
    brain = load_brain(tmp_path / "script.toml", name="scripts/mine.toml")
    assert brain.unused()[0].startswith("turn 1 of 1 (scripts/mine.toml:1:1)")


def test_brains_written_in_python_load_no_pydantic():
    code = "import sys, squall.models; print('pydantic' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"


def test_a_conversation_goes_through_a_file(script, asked):
    file = loaded(script(WHOLE))
    more = {"offers": ["get_order"], "headers": {"x-tenant": "ACME"}}
    first = file.answer(asked("Where is order o1?", **more))
    assert first.calls[0].id == "call_1"
    result = Message("tool", "shipped", answers="call_1")
    said = Message("assistant", calls=first.calls)
    assert file.answer(asked("Where is order o1?", said, result)).text == "It is on its way."
    assert calls(call("a")).reply != first
