from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from squall import UsageError
from squall.runs.strategies.command import Command, CommandFailed, _result
from squall.runs.strategies.finding import strategy_of_command
from squall.runs.strategies.step_model import DONE
from tests.runs.strategies.scenarios import LARGE, TWO, fault

AGENT = Path(__file__).with_name("agent.py")
NODE_AGENT = Path(__file__).with_name("agent.mjs")


def program(code):
    """A command that runs Python code."""
    return strategy_of_command(f"{sys.executable} -Sc '{code}'")


@pytest.mark.parametrize(
    ("output", "status", "result"),
    [
        (b"", 0, ("completed", None)),
        (b"", 3, ("failed", None)),
        (b"thinking\nIt is done. \n\n", 0, ("completed", "It is done.")),
        (b"I give up", 1, ("failed", "I give up")),
        (b'log\n{"status": "completed", "answer": {"a": [1]}}\n', 0, ("completed", {"a": [1]})),
        (b'{"status": "failed"}', 0, ("failed", None)),
        (b'{"status": "completed", "answer": 1}', 9, ("completed", 1)),
        (b'{"status": "completed"}\nand more', 0, ("completed", "and more")),
        (b'{"refund": 40}', 0, ("completed", '{"refund": 40}')),
        (b'{"status": "shipped", "order": 1}', 0, ("completed", '{"status": "shipped", "order": 1}')),
        (b'{"broken": ', 0, ("completed", '{"broken":')),
        (b"{" * 100_000, 0, ("completed", "{" * 100_000)),
        (b'{"a":' * 100_000, 0, ("completed", '{"a":' * 100_000)),
        ("line\u2028same line".encode(), 0, ("completed", "line\u2028same line")),
        (b"\xff\xfe caf\xe9", 0, ("completed", "\ufffd\ufffd caf\ufffd")),
    ],
)
def test_how_it_ends_is_its_last_line_or_its_exit_status(output, status, result):
    assert _result(output, status) == result


@pytest.mark.parametrize(
    ("output", "status", "told"),
    [
        (b'{"status": "completed"}', -11, "the command was ended by SIGSEGV"),
        (b"", -250, "the command was ended by signal 250"),
        (b'{"status": "done", "answer": 1}', 0, "gives the status 'done'; it may be completed or failed"),
        (b'{"status": ["completed"]}', 0, "gives the status ['completed']; it may be"),
        (b'{"status": "completed", "answer": ', 0, "begins like a result, and is no JSON: '{"),
        (b"{'status': 'completed'}", 0, "begins like a result, and is no JSON"),
    ],
)
def test_an_end_that_says_nothing_is_told(output, status, told):
    with pytest.raises(CommandFailed) as raised:
        _result(output, status)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("", "the command is empty"),
        ("python 'agent.py", "cannot be read: No closing quotation"),
        ("no-such-program-anywhere --x", "there is no program 'no-such-program-anywhere' to start"),
        (str(AGENT), "there is no program"),  # it may not be executed
    ],
)
def test_what_can_never_be_started_is_told_before_any_run(command, told):
    with pytest.raises(UsageError, match=told):
        strategy_of_command(command)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (f"{{python}} -S {AGENT} --fast", "agent"),
        ("{python} -m agents.mine --fast", "agents.mine"),
        ("{python} -c 'print(1)'", Path(sys.executable).stem),
        ("{python}", Path(sys.executable).stem),
        ("{python} not-there.py \0", Path(sys.executable).stem),
    ],
)
def test_it_is_called_after_what_it_runs(words, name):
    assert Command(words.format(python=sys.executable)).name == name


def test_it_runs_on_wall_time_and_promises_nothing():
    chosen = strategy_of_command(f"{sys.executable} agents/mine.py --fast")
    assert (chosen.clock, chosen.id.deterministic) == ("wall", False)
    assert chosen.id.parameters == {"command": [sys.executable, "agents/mine.py", "--fast"]}


def test_its_identity_follows_the_files_that_it_names(tmp_path):
    script = tmp_path / "agent.py"
    digests = []
    for text in ("1", "2", "1"):
        script.write_text(text)
        digests.append(strategy_of_command(f"{sys.executable} {script}").id.digest)
    assert (digests[0] == digests[2], digests[0] == digests[1]) == (True, False)


def test_it_is_told_its_task_and_where_everything_is(lab, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    monkeypatch.setenv("MY_OWN", "kept")
    code = 'import json, os; print(json.dumps({"status": "failed", "answer": dict(os.environ)}))'
    told = lab.run(TWO, program(code)).answer
    assert told["SQUALL_TASK"].startswith("Make these calls in order, each once:\n1. issue_refund")
    assert json.loads(told["SQUALL_STEPS"])[1] == {
        "index": 1,
        "tool": "get_order",
        "arguments": {"order": "1"},
        "writes": False,
    }
    assert (told["SQUALL_SEED"], told["SQUALL_RUN_INDEX"], told["MY_OWN"]) == ("7", "0", "kept")
    assert told["OPENAI_BASE_URL"] == told["ANTHROPIC_BASE_URL"] + "/v1"
    assert told["OPENAI_API_KEY"] == told["ANTHROPIC_API_KEY"] == "sk-squall"
    assert told["SQUALL_MCP_URL"].endswith("/mcp")
    assert "127.0.0.1" in told["NO_PROXY"]
    assert not {"r_1", "refunded"} & set(json.dumps(told).split('"'))


def test_it_does_steps_over_mcp_as_a_model_asks_for_them(lab):
    ran = lab.run(TWO, strategy_of_command(f"{sys.executable} -S {AGENT}"))
    assert (ran.met, ran.status, ran.answer, ran.notes) == (True, "passed", DONE, ())
    assert [event.target for event in ran.events("ToolCall")] == ["step0.issue_refund", "step1.get_order"]
    assert (ran.metrics.calls, b"for people" in b"".join(ran.lines)) == (5, False)


def test_what_happens_to_it_is_the_scenarios_weather(lab):
    ran = lab.run(TWO + fault(kind="repeated_call", step=0), strategy_of_command(f"{sys.executable} -S {AGENT}"))
    assert (ran.answered, ran.met) == ("completed", False)
    assert "step 0, issue_refund, happened 2 times" in ran.reasons


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node on this machine")
def test_an_agent_in_another_language_works_over_a_world_and_a_model(lab):
    ran = lab.run(LARGE, strategy_of_command(f"node {NODE_AGENT}"))
    assert (ran.met, ran.answer) == (True, "I have refunded 40.")
    assert len(ran.events("Effected")) == 1


def test_one_that_hangs_is_ended_at_its_limit_and_says_its_last_words(lab):
    code = 'import os, time; os.write(2, b"waiting\\n"); time.sleep(60)'
    ran = lab.run(TWO + "\n[limits]\nseconds = 0.5\n", program(code))
    assert (ran.status, ran.met) == ("hung", False)
    assert "the command ran for 0.5 real seconds, which is its limit" in ran.reasons[0]


def test_one_that_makes_too_many_calls_is_ended(lab):
    ran = lab.run(
        TWO + "\n[limits]\nsteps = 5\n[expect]\nsteps = false\n",
        strategy_of_command(f"{sys.executable} -S {AGENT} 100"),
    )
    assert (ran.status, ran.met) == ("hung", False)
    assert "the run made more than 5 tool calls" in ran.reasons[0]
    assert len(ran.events("ToolCall")) == 5


def test_one_that_fails_says_why_to_people_and_not_to_the_trace(lab):
    code = 'import os; os.write(2, b"one\\n" * 9 + b"\\nTraceback\\nKey" b"Error: \\xff\\n"); os._exit(1)'
    ran = lab.run(TWO, program(code))
    assert (ran.status, ran.answered, ran.answer) == ("failed", "failed", None)
    assert ran.notes == ("stderr of the command ended with: one\none\none\nTraceback\nKeyError: \ufffd",)
    assert b"KeyError" not in b"".join(ran.lines)


def test_one_that_cannot_be_started_after_all_has_crashed(lab, tmp_path):
    script = tmp_path / "agent"
    script.write_text("#!/nowhere/interpreter\n")
    script.chmod(0o755)
    ran = lab.run(TWO, strategy_of_command(str(script)))
    assert (ran.status, ran.answered) == ("crashed", "")
    assert "cannot be started: [Errno 2] No such file or directory" in ran.reasons[0]


def test_one_that_a_signal_ends_has_crashed(lab):
    ran = lab.run(TWO, program('import os; os.write(2, b"bad"); os.kill(os.getpid(), 11)'))
    assert (ran.status, ran.reasons[0]) == ("crashed", "CommandFailed: the command was ended by SIGSEGV")
    assert ran.notes == ("stderr of the command ended with: bad",)
