"""What may end beside one call, as places where faults are tried: its session, the server, a list that comes whole."""

from __future__ import annotations

import mcp
import pytest

import squall
from squall.call import Target
from squall.decide import Point
from squall.runs.exploring.catalog import Catalog

SHOP = """
name: shop
services:
  payments:
    records:
      refund: { id: str, order: str, amount: int }
    operations:
      issue_refund: { kind: create, record: refund }
      list_refunds: { kind: list, record: refund, filter: [order] }
"""
PAY = {"order": "7", "amount": 40}
OF_SESSIONS = ("session_lost", "server_exit", "paged_tools")
CALL = "payments.issue_refund"
LIST = "session.list_tools"


def once(run):
    squall.at_most_once(run.world.refunds, by="order")


@pytest.fixture
def explored(tmp_path):
    """Explores an agent over the shop, with faults of sessions alone unless others are named."""
    (tmp_path / "shop.yaml").write_text(SHOP)

    def explored(agent, kinds=OF_SESSIONS, **more):
        return squall.find_failures(agent, tmp_path / "shop.yaml", holds=once, kinds=kinds, crashes=False, **more)

    return explored


def pays(where, mode="legacy", *, looks=False):
    """An agent that pays in up to three sessions; one that `looks` asks first whether it has paid."""

    async def agent(run):
        for _ in range(3):
            try:
                async with mcp.Client(getattr(run, where), mode=mode, read_timeout_seconds=30) as client:
                    if looks:
                        done = await client.call_tool("list_refunds", {"order": "7"})
                        if done.structured_content["result"]:
                            return
                    await client.call_tool("issue_refund", PAY)
                    return
            except Exception:  # a client's session ends in one, too
                run.trace.mark("it goes on in another session")

    return agent


def fired(found):
    return {(line.target, line.kind): (line.faulted, line.calm) for line in found.coverage.lines}


@pytest.mark.parametrize(
    ("where", "mode", "kinds"),
    [
        ("mcp_server", "legacy", {"session_lost", "server_exit"}),
        ("mcp_server", "auto", set()),  # the client calls the server's functions: nothing is there but the call
        ("mcp_url", "legacy", {"session_lost", "server_exit"}),
        ("mcp_url", "auto", {"server_exit"}),  # each request is on its own, and has no session
    ],
)
def test_what_a_way_to_the_server_may_lose_is_tried_there_and_nothing_else(explored, where, mode, kinds):
    found = explored(pays(where, mode))
    at_the_call = {kind: times for (target, kind), times in fired(found).items() if target == CALL}
    assert at_the_call == dict.fromkeys(kinds, (1, 1)), "each where it was planned"
    assert not any("never fired" in note for note in found.coverage.notes)


def test_plain_callables_have_no_session_to_lose(explored):
    found = explored(lambda run: run.tools.issue_refund(**PAY))
    assert found.coverage.claim == (
        "There is no place where a fault of the kinds session_lost, server_exit, paged_tools could happen: "
        "nothing was explored."
    )
    usual = explored(lambda run: run.tools.issue_refund(**PAY), kinds=())
    assert not {kind for _, kind in fired(usual)} & {*OF_SESSIONS}


def test_they_are_tried_without_being_asked_for(explored):
    found = fired(explored(pays("mcp_server"), kinds=(), targets=(CALL, LIST)))
    assert found[CALL, "session_lost"] == found[CALL, "server_exit"] == found[LIST, "paged_tools"] == (1, 1)


def test_an_agent_that_pays_again_in_its_next_session_is_found_and_its_failure_replays(explored, tmp_path):
    agent = pays("mcp_server")
    (failure,) = explored(agent).found
    assert [(choice.kind, choice.point.target) for choice in failure.schedule] == [("server_exit", CALL)]
    path = squall.keep_failure(failure, tmp_path, test="pays")
    assert squall.replay_failure(path, agent, tmp_path / "shop.yaml", holds=once).how == "reproduced"
    looks = pays("mcp_server", looks=True)
    assert squall.replay_failure(path, looks, tmp_path / "shop.yaml", holds=once).how == "passes now"


def test_one_that_looks_in_its_new_session_stands_them_in_pairs_too(explored):
    found = explored(pays("mcp_server", looks=True), depth=2)
    assert found.found == ()
    assert [share.whole for share in found.coverage.shares] == [True, True]


def finds(pages):
    """An agent that pays by the tool that it finds in the first `pages` of the list."""

    async def agent(run):
        async with mcp.Client(run.mcp_server) as client:
            cursor, names = None, []
            for _ in range(pages):
                page = await client.list_tools(cursor=cursor)
                names += [tool.name for tool in page.tools]
                cursor = page.next_cursor
                if cursor is None:
                    break
            assert "list_refunds" in names, "it misses a tool"

    return agent


@pytest.mark.parametrize(("pages", "failures"), [(1, 1), (5, 0)])
def test_a_list_of_tools_comes_in_pages_for_a_client_that_reads_the_first_alone(explored, pages, failures):
    found = explored(finds(pages), kinds=("paged_tools",))
    assert len(found.found) == failures
    assert fired(found)[LIST, "paged_tools"] == (1, 1)
    assert LIST not in dict(found.coverage.revealed)


@pytest.mark.parametrize(("size", "kinds"), [(0, []), (1, []), (2, ["paged_tools"])])
def test_a_list_that_fits_one_page_is_not_paged(size, kinds):
    target = Target(LIST, "", wire="session", size=size)
    found = Catalog().beside(Point("session", "", LIST, "d", 1), target)
    assert [choice.kind for choice in found] == kinds
    assert Catalog(("timeout",)).beside(Point("session", "", LIST, "d", 1), target) == ()


def test_a_list_that_only_recovering_asks_for_is_no_call_of_the_agent(explored):
    async def agent(run):
        for _ in range(2):
            async with mcp.Client(run.mcp_server, mode="legacy") as client:
                for _ in range(2):
                    try:
                        await client.call_tool("issue_refund", PAY)
                        return
                    except Exception:
                        await client.list_tools()

    found = explored(agent, kinds=("connection_lost", "paged_tools"), targets=("payments.*", "session.*"))
    assert dict(found.coverage.revealed) == {CALL: 1}
    assert (0, 0) not in fired(found).values()
