"""What goes wrong in squall itself is a warning and an unknown verdict, never a failed test."""

from __future__ import annotations

import pytest

from squall.checks.kinds import search_loop
from squall.pytest_plugin.checking import judged, sections

FINE = "def test_it(): agent(FINE)"


def broken(*_args, **_kwargs):
    raise ZeroDivisionError("ours")


@pytest.mark.parametrize("warnings", [(), ("-W", "error")])
def test_a_check_that_breaks_is_unknown_and_told(suite, report, monkeypatch, warnings):
    monkeypatch.setattr(search_loop.SearchLoop, "run", broken)
    done = suite(FINE, report.option, *warnings)
    assert done.counts["passed"] == 1
    assert "failed" not in done.counts
    assert "search_loop: check crashed: ZeroDivisionError\n" in done.text.partition("warnings summary")[2]
    assert "  search_loop: check crashed: ZeroDivisionError" in done.text
    verdicts = {each["check"]: each["verdict"] for each in report.runs[0]["verdicts"]}
    assert verdicts.pop("search_loop") == "unknown"
    assert set(verdicts.values()) == {"pass"}
    assert report.summary["failed_runs"] == 0


@pytest.mark.parametrize("what", ["judge", "entry_of"])
def test_a_bug_in_judging_makes_all_verdicts_unknown(suite, report, monkeypatch, what):
    whole, tries = getattr(judged, what), []

    def once(*args, **kwargs):
        tries.append(1)
        return whole(*args, **kwargs) if len(tries) > 1 else broken()

    monkeypatch.setattr(judged, what, once)
    done = suite(FINE, report.option)
    assert done.counts["passed"] == 1
    assert "squall could not judge a run; please report this as a bug of squall" in done.text
    assert {each["verdict"] for each in report.runs[0]["verdicts"]} == {"unknown"}
    assert not report.runs[0]["capture_complete"]


@pytest.mark.parametrize("where", ["records", "end", "__init__"])
def test_a_bug_around_it_is_a_warning(suite, monkeypatch, where):
    monkeypatch.setattr(judged.Watch, where, broken)
    done = suite(FINE)
    assert done.counts["passed"] == 1
    assert "squall could not judge this test (ZeroDivisionError: ours)" in done.text


def test_a_bug_in_telling_leaves_the_test_failed(suite, monkeypatch):
    monkeypatch.setattr(sections, "representation", broken)
    done = suite("def test_it(): agent(LOOP)")
    assert done.counts["failed"] == 1
    assert "repeated_tool_call" in done.text


ASTRAY = """
import openai

def ask(**options):
    with openai.OpenAI(max_retries=0, **options) as client:
        return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])

def calmly(**options):
    try:
        return ask(**options)
    except openai.OpenAIError:
        return "fine"

def test_raised(model):
    ask(base_url="https://elsewhere.example/v1", api_key="k")

def test_hidden(model):
    calmly(base_url="https://elsewhere.example/v1", api_key="k")

def test_brain(model):
    model.brain(lambda request: 1 / 0)
    calmly()

def test_nothing(model):
    model.brain(lambda request: None)
    assert calmly() == "well"
"""


def test_what_squall_itself_fails_a_test_for_is_not_told_again_by_a_check(suite, report):
    done = suite(ASTRAY, report.option)
    assert done.counts == {"failed": 4}
    assert report.fired == {"test_raised": [], "test_hidden": [], "test_brain": [], "test_nothing": []}
    assert report.summary["failed_runs"] == 0
    assert "the agent carried on" not in done.text
    _, heading, told = done.text.partition("- squall: the model's brain is broken -")
    assert heading
    assert "returned None" in told.splitlines()[1]
    assert "squall finally_" not in done.text


def test_an_outage_that_is_meant_is_still_the_agents_to_tell(suite, report):
    done = suite(
        ASTRAY.partition("def test_raised")[0]
        + """
@pytest.mark.faults([{"target": "model.chat", "kind": "http_503", "nth": 1}])
def test_outage(model):
    assert calmly() == "fine"
""",
        report.option,
    )
    assert done.counts == {"failed": 1}
    assert report.fired == {"test_outage": ["unrecovered_model_error"]}
