"""Nothing that an agent can see says that it is in a test."""

from __future__ import annotations

import asyncio
import json
import re

import mcp
import pytest

from squall.faults.registry import KINDS

WORDS = r"squall|(?<!de)fault|inject|\btest|mock|fake|simulat|virtual|chaos|sandbox|scenario|dry.?run"
GIVEAWAYS = re.compile(WORDS, re.IGNORECASE)
STATUSES = ("http_400", "http_401", "http_404", "http_409", "http_429", "http_451", "http_500", "http_503", "http_599")
KINDS_OF_CALLS = [name for name, kind in KINDS.items() if kind.wire == "tool" and name != "hang"]
READS, WRITE = ("get_note", "list_notes", "count"), "move"
ARGS = {"get_note": {"id": "1"}, "move": {"note_id": "1"}}


def innocent(*texts):
    for text in texts:
        found = GIVEAWAYS.findall(text)
        assert not found, f"{found} in {text}"


def seen_by_client(run, tools, mode):
    """All that the client's side gets to see of a call of each tool."""

    async def agent():
        seen = []
        async with mcp.Client(run.mcp_server, mode=mode, read_timeout_seconds=30) as client:
            for tool in tools:
                try:
                    seen.append((await client.call_tool(tool, ARGS.get(tool, {}))).model_dump_json())
                except Exception as error:
                    seen.append(repr(error))
        return seen

    return asyncio.run(agent())


def seen_by_caller(run, tool):
    try:
        return json.dumps(run.tools[tool](**ARGS.get(tool, {})))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("phase", ["before", "after", "late"])
@pytest.mark.parametrize("kind", [*KINDS_OF_CALLS, *STATUSES])
def test_no_reply_of_any_kind_gives_it_away(begin, kind, phase):
    access = KINDS[kind].access if kind in KINDS else ("read", "write")
    tools = [*(READS if "read" in access else ()), *([WRITE] if "write" in access else ())]
    rules = [{"target": f"desk.{tool}", "kind": kind, "every": 1, "phase": phase} for tool in tools]
    for mode in ("auto", "legacy"):
        with begin(*rules) as run:
            innocent(*seen_by_client(run, tools, mode))
    with begin(*rules) as run:
        innocent(*(seen_by_caller(run, tool) for tool in tools))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_no_tool_and_no_greeting_gives_it_away(begin, mode):
    async def agent(run):
        async with mcp.Client(run.mcp_server, mode=mode) as client:
            listed = await client.list_tools()
            return [listed.model_dump_json(), str(client.server_info), str(client.instructions)]

    with begin(name="tests/test_mock_agent.py::test_fake[run3]") as run:
        innocent(*asyncio.run(agent(run)))
        innocent(json.dumps(run.tools.openai()), json.dumps(run.tools.anthropic()))
        for tool in run.tools:
            innocent(str(tool.__doc__), tool.__name__)


@pytest.mark.parametrize("how", ["value", "key", "lookup", "permission", "empty"])
def test_no_refusal_gives_it_away(begin, how, monkeypatch):
    for mode in ("auto", "legacy"):
        with begin() as run:
            monkeypatch.setitem(ARGS, "refuse", {"how": how})
            innocent(*seen_by_client(run, ["refuse"], mode), seen_by_caller(run, "refuse"))


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("broken", {}),
        ("broken", {"how": "cause"}),
        ("nothing", {}),
        ("get_note", {"idd": 1}),
        ("get_note", {"id": "99"}),
        ("create_note", {"text": 5, "pages": 99}),
        ("create_note", {"text": "x", "id": "1"}),
        ("update_note", {"id": "99"}),
        ("delete_note", {"id": "99"}),
        ("move", {"note_id": "99"}),
    ],
)
def test_no_error_gives_it_away(begin, tool, args):
    run = begin()
    run.__enter__()
    try:
        outcome = run.interposer.call(tool, args)
        innocent(str(outcome.error))
        assert "/" not in str(outcome.error)
    finally:
        run.finish()
        run.close()


def test_a_limit_of_the_rate_does_not_give_it_away(begin):
    with begin({"target": "desk.count", "kind": "rate_limit", "calls": 1, "per_seconds": 60}) as run:
        run.tools.count()
        innocent(seen_by_caller(run, "count"), *seen_by_client(run, ["count"], "auto"))


def test_the_scan_would_find_it():
    with pytest.raises(AssertionError, match="inject"):
        innocent("injected http_500")
