"""`squall judge`: verdicts over runs that were recorded elsewhere."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from squall.trace.formats import export_otlp, load


def call(name, arguments="{}", call_id="c1"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def says(text=None, *calls):
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}


def asks(text):
    return {"role": "user", "content": text}


def told(content):
    return {"role": "tool", "tool_call_id": "c1", "content": content}


LOOKS = [message for _ in range(3) for message in (says(None, call("get_order", '{"id": "7"}')), told("delayed"))]
GOOD = {"id": "good", "messages": [asks("Where is it?"), says(None, call("get_order")), told("there"), says("There.")]}
LOOPS = {"id": "loops", "messages": [asks("Where is mia@example.com's order?"), *LOOKS, says("It is delayed.")]}
REFUND = says(None, call("refund", '{"amount": "$900.00", "user": "bob"}'))
PAYS = {"id": "pays", "user_id": "mia", "messages": [asks("Refund it"), REFUND, told('{"ok": true}'), says("Done.")]}


@pytest.fixture
def runs(write):
    def make(*lines, name="runs.jsonl"):
        return write(name, "".join(json.dumps(line) + "\n" for line in lines))

    return make


def test_runs_without_a_finding_pass(squall, runs):
    done = squall("judge", runs(GOOD))
    assert (done.status, done.out, done.err) == (0, "1 run judged, 0 with failures\n", "")


def test_a_failing_check_names_run_step_and_reason_and_fails(squall, runs):
    done = squall("judge", runs(GOOD, LOOPS))
    assert done.status == 1
    assert done.out.startswith(
        "runs.jsonl: loops\n    FAIL  repeated_tool_call  get_order(id='7') gave the same result 3"
    )
    assert done.out.endswith("2 runs judged, 1 with failures\n")


def test_a_policy_holds_calls_against_limits_and_against_the_run_s_user(squall, runs, write):
    policy = {"tools": {"refund": {"limits": {"amount": 500}, "identity_arg": "user"}}}
    done = squall("judge", runs(PAYS), "--policy", write("policy.json", json.dumps(policy)))
    assert done.status == 1
    assert "FAIL  policy" in done.out
    assert "amount" in done.out
    assert "'mia'" in done.out


def test_the_policy_of_the_project_counts_without_being_named(squall, runs, write, tmp_path):
    (tmp_path / ".squall").mkdir()
    write(".squall/policy.json", '{"allow": ["get_order"]}')
    assert squall("judge", runs(PAYS)).status == 1
    assert squall("judge", runs(GOOD)).status == 0


def test_checks_can_be_named_and_settings_stand_in_the_project(squall, runs, write):
    assert squall("judge", runs(LOOPS), "--checks", "search_loop").status == 0
    write("pyproject.toml", "[tool.squall]\nrepeat_threshold = 4\n")
    assert squall("judge", runs(LOOPS)).status == 0


def test_a_warning_is_told_and_fails_nothing(squall, runs, write):
    write("pyproject.toml", '[tool.squall]\nmode = "warn"\n')
    done = squall("judge", runs(LOOPS))
    assert done.status == 0
    assert "    warn  repeated_tool_call" in done.out
    assert done.out.endswith("1 run judged, 0 with failures\n")


def test_the_three_reports_tell_of_the_same_runs(squall, runs, tmp_path):
    done = squall("judge", runs(GOOD, LOOPS), "--json", "o.json", "--markdown", "o.md", "--junit", "o.xml")
    assert done.status == 1
    report = json.loads((tmp_path / "o.json").read_text())
    assert report["summary"]["runs"] == 2
    assert report["summary"]["failed_runs"] == 1
    assert [(run["test"], run["scenario"]) for run in report["runs"]] == [
        ("runs.jsonl", "good"),
        ("runs.jsonl", "loops"),
    ]
    assert [each["check"] for each in report["runs"][1]["verdicts"] if each["fired"]] == ["repeated_tool_call"]
    table = (tmp_path / "o.md").read_text()
    assert "runs.jsonl (loops)" in table
    assert "good" not in table
    suite = ElementTree.parse(tmp_path / "o.xml").getroot()[0]  # noqa: S314 - it was just written
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [failure.get("type") for failure in suite.iter("failure")] == ["repeated_tool_call"]


def test_what_is_told_is_masked_unless_that_is_off(squall, runs, monkeypatch):
    secret = says(None, call("get_order", '{"mail": "mia@example.com"}'))
    file = runs(
        {"id": "x", "messages": [asks("Go"), *[each for _ in range(3) for each in (secret, told("no"))], says("No.")]}
    )
    assert "mia@example.com" not in squall("judge", file).out
    monkeypatch.setenv("SQUALL_REDACT", "off")
    assert "mia@example.com" in squall("judge", file).out


def test_a_run_whose_content_was_not_captured_is_unknown_and_said_so(squall, write):
    span = {"traceId": "1", "spanId": "2", "name": "chat", "attributes": {"gen_ai.operation.name": "chat"}}
    done = squall("judge", write("t.json", json.dumps({"spans": [span]})))
    assert done.status == 0
    assert "unknown in 1 run: capture incomplete: 1 of 1 requests to models have no messages in this file" in done.out


def test_a_file_that_cannot_be_read_is_wrong_input_and_the_others_are_judged(squall, runs, write):
    done = squall("judge", write("notes.json", '{"hello": "world"}'), "nowhere.json", runs(GOOD))
    assert done.status == 2
    assert "error: notes.json: this is no file of recorded runs" in done.err
    assert "error: cannot read 'nowhere.json'" in done.err
    assert done.out == "1 run judged, 0 with failures\n"


@pytest.mark.parametrize(
    ("args", "says_"),
    [
        (["--format", "opentelemetry"], "there is no format 'opentelemetry' of traces"),
        (["--policy", "nowhere.json"], "nowhere.json"),
        (["--checks", "serch_loop"], "did you mean 'search_loop'?"),
        (["--json", "nowhere/o.json"], "cannot write 'nowhere/o.json'"),
    ],
)
def test_wrong_options_are_told(squall, runs, args, says_):
    done = squall("judge", runs(GOOD), *args)
    assert done.status == 2
    assert says_ in done.err
    assert "Traceback" not in done.err


def test_an_exported_run_is_judged_as_it_was(squall, runs, tmp_path):
    export_otlp(load(runs(LOOPS)), tmp_path / "t.otlp.json")
    done = squall("judge", "t.otlp.json")
    assert done.status == 1
    assert done.out.startswith("t.otlp.json: loops\n    FAIL  repeated_tool_call")
