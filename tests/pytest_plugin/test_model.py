"""The fixture `model` in tests of every form, with worlds, gates and one plan over both wires."""

from __future__ import annotations

import pytest

HEAD = """
import asyncio
import openai
import pytest
from squall.models import call, say

HI = [{"role": "user", "content": "hi"}]

def ask(messages=HI, **more):
    with openai.OpenAI(**more) as client:
        return client.chat.completions.create(model="m", messages=messages).choices[0].message.content

async def aask(messages=HI, **more):
    async with openai.AsyncOpenAI(**more) as client:
        return (await client.chat.completions.create(model="m", messages=messages)).choices[0].message.content

BUSY = {"target": "model.chat", "kind": "http_503", "first": 2}
"""


@pytest.fixture
def run(session):
    """`run(code, *args)`: a test file that begins with the words above."""

    def go(code, *args, **more):
        return session(HEAD + code, *args, **more)

    return go


FORMS = {
    "sync": """
def test_it(model):
    model.script(say("hello"))
    assert ask() == "hello"
    assert [each.attempt for each in model.attempts] == [1, 2, 3]
""",
    "a loop inside": """
def test_it(model):
    model.script(say("hello"))
    assert asyncio.run(aask()) == "hello"
    assert [each.attempt for each in model.attempts] == [1, 2, 3]
""",
    "async": """
@pytest.mark.asyncio
async def test_it(model):
    model.script(say("hello"))
    assert await aask() == "hello"
    assert [each.attempt for each in model.attempts] == [1, 2, 3]
""",
    "anyio": """
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_it(model, anyio_backend):
    model.script(say("hello"))
    assert await aask() == "hello"
""",
    "class": """
class TestIt:
    def test_it(self, model):
        model.script(say("hello"))
        assert ask() == "hello"

    @pytest.mark.asyncio
    async def test_async(self, model):
        model.script(say("hello"))
        assert await aask() == "hello"
""",
    "a fixture of one's own": """
@pytest.fixture
def model(model):
    model.script(say("hello"))
    return model

def test_it(model):
    assert ask() == "hello"
""",
    "an agent in a fixture": """
@pytest.fixture
def answer(model):
    model.script(say("hello"))
    return ask()

def test_it(answer, model):
    assert answer == "hello"
    assert len(model.attempts) == 3
""",
    "asked for while the test runs": """
def test_it(request):
    model = request.getfixturevalue("model")
    model.script(say("hello"))
    assert ask() == "hello"
""",
}


@pytest.mark.parametrize("form", FORMS)
def test_tests_of_every_form_get_their_model(run, form):
    done = run("pytestmark = pytest.mark.faults([BUSY])\n" + FORMS[form])
    assert done.counts == {"passed": 2 if form == "class" else 1}


def test_each_test_has_a_model_of_its_own(run):
    done = run("""
@pytest.mark.parametrize("word", ["one", "two"])
def test_it(model, word):
    model.script(say(word))
    assert ask() == word
    assert len(model.requests) == 1
""")
    assert done.counts == {"passed": 2}


def test_one_plan_goes_over_both_wires(run, shop):
    done = run("""
@pytest.mark.world("shop.yaml")
@pytest.mark.faults([BUSY, {"target": "orders.get_order", "kind": "http_503", "first": 1}])
def test_it(model, tools, trace):
    model.script(call("get_order", id="1"), say("done"))
    offered = [{"type": "function", "function": {"name": "get_order", "parameters": {"type": "object"}}}]
    with openai.OpenAI() as client:
        said = client.chat.completions.create(model="m", messages=HI, tools=offered)
    assert said.choices[0].finish_reason == "tool_calls"
    with pytest.raises(Exception):
        tools.get_order(id="1")
    tools.get_order(id="1")
    assert [event.call for event in trace.model_calls()] == [1]
    assert [event.call for _, event in trace if type(event).__name__ == "ToolCall"] == [2, 3]
    assert 0, "to see the line"
""")
    assert done.counts == {"failed": 1}
    assert "model.chat!http_503 ×2 → get_order!http_503(before) → get_order" in done.text


def test_a_run_without_tools_shows_its_requests_in_the_line(run):
    done = run("""
def test_it(model):
    model.script(say("hello"))
    for _ in range(3):
        ask()
    assert 0
""")
    assert "squall trace" in done.text
    assert "model.chat ×3" in done.text


def test_runs_and_gates_count_what_the_weather_does(run):
    done = run("""
@pytest.mark.faults([{"target": "model.chat", "kind": "http_503", "probability": 0.5}])
@pytest.mark.runs(12)
@pytest.mark.min_pass_rate(0.2)
def test_it(model):
    model.script(say("hello"))
    assert ask(max_retries=0) == "hello"
""")
    assert done.ret == 0
    row = next(line for line in done.text.splitlines() if line.startswith("test_it.py::test_it"))
    passed, whole = row.split()[1].split("/")
    assert (whole, 0 < int(passed) < 12) == ("12", True)


def test_runs_fail_alike_whichever_process_runs_them(run):
    code = """
@pytest.mark.faults([{"target": "model.chat", "kind": "http_503", "probability": 0.4}])
def test_it(model):
    model.script(say("hello"))
    assert ask(max_retries=0) == "hello"
"""

    def failed(done):
        return sorted(line.split(" - ")[0] for line in done.text.splitlines() if line.startswith("FAILED"))

    alone, spread = run(code, "--runs=10"), run(code, "--runs=10", "-n", "2")
    assert failed(alone) == failed(spread)
    assert 0 < len(failed(alone)) < 10
    assert failed(run(code, "--runs=10", "--squall-seed=7")) != failed(alone)


def test_a_request_that_nothing_matches_fails_the_test_though_it_is_swallowed(run):
    done = run("""
def test_it(model):
    model.script(say("hello"))
    with pytest.raises(openai.BadRequestError):
        ask([*HI, {"role": "assistant", "content": "hello"}, {"role": "user", "content": "more"}])
""")
    assert done.counts == {"failed": 1}
    assert (
        "no turn of the script is left for this request: the last one, turn 1 of 1, say 'hello', has been" in done.text
    )
    assert "endpoint.py" not in done.text


def test_what_had_no_answer_stands_beside_the_agents_own_error(run):
    done = run("""
def test_it(model):
    model.script(say("hello"))
    ask([*HI, {"role": "assistant", "content": "hello"}, {"role": "user", "content": "more"}])
""")
    assert done.counts == {"failed": 1}
    assert "openai.BadRequestError" in done.text
    assert "squall: the model had no answer" in done.text
    assert "squall: 1 run checked, 0 failed by checks" in done.text


def test_a_bug_in_the_brain_is_told_with_its_line(run):
    done = run("""
def brain(request):
    return request.nothing

def test_it(model):
    model.brain(brain)
    with pytest.raises(openai.InternalServerError):
        ask()
""")
    assert done.counts == {"failed": 1}
    assert "the model's brain raised AttributeError" in done.text
    assert "in brain)" in done.text


def test_a_leak_fails_the_test_with_the_hosts_name_though_it_is_swallowed(run):
    done = run("""
import urllib.request

def test_it(model):
    try:
        urllib.request.urlopen("http://example.com/")
    except OSError:
        pass

def test_allowed(model):
    model.allow("example.invalid")
    with pytest.raises(OSError):
        urllib.request.urlopen("http://example.invalid/")
""")
    assert done.counts == {"failed": 1, "passed": 1}
    assert "a request to example.com was stopped: nothing may leave while model is in charge" in done.text
    assert 'If that is meant: model.allow("example.com").' in done.text


def test_a_rule_for_models_that_did_not_fire_says_why(run):
    done = run("""
@pytest.mark.faults([{"target": "model.chat", "kind": "http_503", "nth": 3}])
def test_it(model):
    model.script(say("hello"))
    ask()
""")
    assert done.counts == {"failed": 1}
    assert "not fired: http_503 at model.chat (nth 3)" in done.text
    assert "model.chat was asked once, and the rule waits for the 3rd" in done.text


def test_a_turn_that_was_never_used_is_a_warning_of_a_test_that_passed(run):
    code = """
def test_it(model):
    model.script(say("hello"), say("never"))
    assert ask() == "hello"

@pytest.mark.faults([BUSY])
def test_rough(model):
    model.script(say("hello"), say("never"))
    assert ask() == "hello"
"""
    done = run(code, "-W", "default")
    assert done.counts == {"passed": 2, "warnings": 1}
    assert "test_it.py::test_it: turn 2 of 2, say 'never', was never used" in done.text
    strict = run(code, "-W", "error")
    assert strict.counts == {"failed": 1, "passed": 1}


def test_drawn_faults_that_stayed_away_are_no_error_without_a_world(run):
    code = """
@pytest.mark.faults([{"target": "model.chat", "kind": "http_503", "probability": 0.000001}])
def test_it(model):
    model.script(say("hello"))
    assert ask() == "hello"
"""
    done = run(code, "-W", "default")
    assert done.counts == {"passed": 1, "warnings": 1}
    assert "no drawn fault fired, so none was tested" in done.text


def test_too_many_requests_end_a_test(run):
    done = run("""
@pytest.mark.faults([], limits={"calls": 5})
def test_it(model):
    model.script(say("hello"))
    while True:
        ask()

@pytest.mark.asyncio
@pytest.mark.faults([], limits={"calls": 5})
async def test_async(model):
    model.script(say("hello"))
    while True:
        try:
            await aask()
        except Exception:
            pass
""")
    assert done.counts == {"failed": 2}
    assert done.text.count("LimitReached: the run made more than 5 requests to models") >= 2


# the marker

SCRIPT = '[[turn]]\nsay = "from a file"\n'
MARKED = """
@pytest.mark.model("script.toml")
def test_it(model):
    assert ask() == "from a file"

@pytest.mark.model("script.toml")
def test_that_does_not_ask_for_it():
    assert ask() == "from a file"

@pytest.mark.model("script.toml")
def test_other_words(model):
    model.script(say("other"))
    assert ask() == "other"
"""


def test_a_marker_names_the_script(run, pytester):
    (pytester.path / "script.toml").write_text(SCRIPT, encoding="utf-8")
    assert run(MARKED).counts == {"passed": 3}


def test_a_script_that_is_not_there_is_told_before_anything_runs(run, pytester):
    (pytester.path / "scripts.toml").write_text(SCRIPT, encoding="utf-8")
    done = run(MARKED)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "the script 'script.toml' does not exist" in done.text
    assert "scripts.toml" in done.text


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('[[turn]]\nsays = "hello"\n', ["script.toml:2", "says", "say"]),
        ("[[turn]]\nsay = \n", ["script.toml:2"]),
        ("", ["script.toml"]),
        ('handler = "nowhere.brain"\n', ["nowhere"]),
    ],
)
def test_a_broken_script_is_told_before_anything_runs(run, pytester, script, words):
    (pytester.path / "script.toml").write_text(script, encoding="utf-8")
    done = run(MARKED)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "passed" not in done.counts
    for word in words:
        assert word in done.text


def test_a_marker_takes_one_path(run):
    done = run("""
@pytest.mark.model()
def test_none(model): ...

@pytest.mark.model(5)
def test_number(model): ...
""")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "mark.model takes one value, its path, not 0" in done.text
    assert "a script is named by its path, not by 5" in done.text


def test_a_world_and_a_script_are_both_looked_at(run, shop, pytester):
    (pytester.path / "script.toml").write_text("[[turn]]\nsays = 1\n", encoding="utf-8")
    shop.write_text("services: 5\n", encoding="utf-8")
    done = run("""
@pytest.mark.world("shop.yaml")
def test_world(world): ...

@pytest.mark.model("script.toml")
def test_model(model): ...
""")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "script.toml:2" in done.text
    assert "shop.yaml:1" in done.text
