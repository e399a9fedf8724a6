"""What an exception of an operation comes to: for the agent, for the trace, for the person who tests."""

from __future__ import annotations

import asyncio
import textwrap

import mcp
import pytest

from squall import ToolError
from squall.call import Refused
from squall.interpose.attempt import outcome_of
from squall.runs.ending import HandlerBug
from squall.runs.environment import Environment

WORLD = """\
services:
  desk:
    records: { note: { id: str, text: str } }
    seed: { note: [{ id: "1", text: hello }] }
    operations:
      fail: { kind: custom, handler: fail_rules.fail }
      afail: { kind: custom, handler: fail_rules.afail }
"""
RULES = '''\
import asyncio

ERRORS = {
    "value": lambda: ValueError("the note is locked"),
    "key": lambda: KeyError("no such shelf"),
    "lookup": lambda: LookupError("nothing there"),
    "permission": lambda: PermissionError("not yours"),
    "type": lambda: TypeError("internal detail"),
    "runtime": lambda: RuntimeError("internal detail"),
    "assertion": lambda: AssertionError("internal detail"),
    "os": lambda: OSError(5, "internal detail"),
}


def fail(world, clock, how: str):
    """Fail."""
    world.note.update("1", text="half done")
    raise ERRORS[how]()


async def afail(world, clock, how: str):
    """Fail later."""
    world.note.update("1", text="half done")
    await asyncio.sleep(1)
    raise ERRORS[how]()
'''
REFUSALS = [
    ("value", 422, "the note is locked"),
    ("key", 404, "no such shelf"),
    ("lookup", 404, "nothing there"),
    ("permission", 403, "not yours"),
]
BUGS = ["type", "runtime", "assertion", "os"]
TOOLS = pytest.mark.parametrize("tool", ["fail", "afail"])


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    (folder / "fail_rules.py").write_text(textwrap.dedent(RULES), encoding="utf-8")
    path = folder / "desk.yaml"
    path.write_text(WORLD, encoding="utf-8")
    return path


def over_mcp(run, tool, how, mode):
    async def agent():
        async with mcp.Client(run.mcp_server, mode=mode) as client:
            return await client.call_tool(tool, {"how": how})

    return asyncio.run(agent())


@TOOLS
@pytest.mark.parametrize(("how", "status", "text"), REFUSALS)
def test_a_refusal_is_a_clean_error_and_nothing_of_it_stays(desk, tool, how, status, text):
    with Environment(desk) as run:
        with pytest.raises(ToolError) as refusal:
            run.tools[tool](how)
        for mode in ("auto", "legacy"):
            result = over_mcp(run, tool, how, mode)
            assert (result.is_error, result.content[0].text) == (True, text)
        assert run.world.notes["1"].text == "hello"
    assert (str(refusal.value), refusal.value.status) == (text, status)
    assert not run.world.ledger
    assert run.result
    assert run.result.status == "passed"


@TOOLS
@pytest.mark.parametrize("how", ["key", "type"])
def test_the_trace_holds_the_traceback_without_folders(desk, tool, how):
    run = Environment(desk)
    run.__enter__()
    run.interposer.call(tool, {"how": how})
    run.finish()
    run.close()
    details = [line for line in run.trace.lines if b'"detail":"' in line]
    assert len(details) == 1
    detail = details[0].decode().partition('"detail":"')[2]
    assert f"fail_rules.py:{18 if tool == 'fail' else 25} in {tool}" in detail
    assert ("KeyError" if how == "key" else "TypeError: internal detail") in detail
    assert str(desk.parent) not in detail
    assert "/" not in detail


@TOOLS
@pytest.mark.parametrize("how", BUGS)
def test_a_bug_is_a_plain_internal_error_for_the_agent_and_loud_for_the_tester(desk, tool, how):
    with pytest.raises(HandlerBug) as bug, Environment(desk) as run:
        with pytest.raises(ToolError, match=r"^Internal error$") as seen:
            run.tools[tool](how)
        assert seen.value.status == 500
        result = over_mcp(run, tool, how, "auto")
        assert (result.is_error, result.content[0].text) == (True, "Internal error")
        assert run.world.notes["1"].text == "hello"
    assert "internal detail" in str(bug.value)
    assert isinstance(bug.value.__cause__, (TypeError, RuntimeError, AssertionError, OSError))
    assert [frame.name for frame in bug.traceback] or bug.value.__cause__.__traceback__ is not None
    assert run.result
    assert run.result.status == "failed"
    assert [str(error) for error in run.result.errors] == [str(bug.value)]  # once, though it hit two calls
    assert str(bug.value).startswith(f"the handler of {tool} raised ")


@TOOLS
@pytest.mark.parametrize("phase", ["after", "late"])
def test_a_bug_behind_a_fault_is_loud_too(desk, tool, phase):
    rule = {"target": f"desk.{tool}", "kind": "http_500", "nth": 1, "phase": phase}
    with pytest.raises(HandlerBug), Environment(desk, faults=[rule]) as run, pytest.raises(ToolError, match="500"):
        run.tools[tool]("type")
    assert run.result
    assert run.result.status == "failed"


def test_an_agents_own_error_goes_before_a_bug(desk):
    with pytest.raises(ZeroDivisionError) as raised, Environment(desk) as run:
        run.interposer.call("fail", {"how": "type"})
        1 / 0
    assert run.result
    assert run.result.status == "crashed"
    assert [type(error) for error in run.result.errors] == [HandlerBug]
    assert any("HandlerBug" in note and "internal detail" in note for note in raised.value.__notes__)


def test_a_refusal_for_want_of_credentials_is_told_with_its_status():
    def refuse(reason):
        raise Refused("missing access token", reason)

    told = outcome_of(lambda: refuse("unauthorized"), print)
    assert (told.form, told.status, told.error) == ("refused", 401, "401 Unauthorized: missing access token")
    other = outcome_of(lambda: refuse("forbidden"), print)
    assert (other.status, other.error) == (403, "missing access token")
