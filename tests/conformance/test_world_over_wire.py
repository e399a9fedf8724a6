"""The checks of `world_over_wire` over every wire that squall has."""

from __future__ import annotations

import pytest

from tests.conformance import world_over_wire as suite
from tests.conformance.clients import by_callables, by_http_process, by_mcp, by_stdio, by_sync_callables

IN_VIRTUAL_TIME = {
    "in process": by_mcp("mcp_server", "auto"),
    "in process, in a session": by_mcp("mcp_server", "legacy"),
    "HTTP": by_mcp("mcp_url", "auto"),
    "HTTP, in a session": by_mcp("mcp_url", "legacy"),
}
ON_WALL_TIME = {
    "stdio": by_stdio("auto"),
    "stdio, in a session": by_stdio("legacy"),
}


def named(check):
    return check.__name__.removeprefix("check_")


EACH_CHECK = pytest.mark.parametrize("check", suite.CHECKS, ids=named)
OVER_A_NETWORK = (  # the others have been over HTTP in virtual time, and a process takes a second
    suite.check_faults_strike_deep_services_alike,
    suite.check_the_list_of_tools_is_the_same_in_pages_and_without_one_that_was_removed,
    suite.check_what_an_operation_does_after_its_caller_gave_up_is_the_same,
)
WITHOUT_GIVING_UP = [check for check in suite.CHECKS if check not in suite.GIVING_UP]


@EACH_CHECK
@pytest.mark.parametrize("make", IN_VIRTUAL_TIME.values(), ids=IN_VIRTUAL_TIME)
def test_a_world_is_the_same_over_every_wire(begin, make, check):
    check(begin, make)


@pytest.mark.parametrize("check", WITHOUT_GIVING_UP, ids=named)
def test_a_world_is_the_same_in_sync_code(begin, check):
    check(begin, by_sync_callables)


@pytest.fixture
def on_wall_time(begin):
    """As `begin`, for runs whose server is a process."""

    def make(*rules, **options):
        return begin(*rules, **{**options, "clock": "wall"})

    return make


@EACH_CHECK
@pytest.mark.parametrize("make", ON_WALL_TIME.values(), ids=ON_WALL_TIME)
def test_a_world_is_the_same_in_a_process_of_its_own(on_wall_time, make, check):
    check(on_wall_time, make)


@pytest.mark.parametrize("check", OVER_A_NETWORK, ids=named)
def test_a_world_is_the_same_in_a_process_over_http(on_wall_time, check):
    check(on_wall_time, by_http_process("legacy"))


class Deaf:
    """A client that hears only half of what it is told."""

    def __init__(self, client):
        self._client = client

    async def call(self, tool, args):
        seen = await self._client.call(tool, args)
        return seen._replace(said=None) if seen.how == "refused" else seen

    async def tools(self):
        return await self._client.tools()


class Forgetful:
    """A client that leaves an argument out."""

    def __init__(self, client):
        self._client = client

    async def call(self, tool, args):
        return await self._client.call(tool, {} if tool == "list_payments" else args)

    async def tools(self):
        return await self._client.tools()


@pytest.mark.parametrize(("worse", "found"), [(Deaf, "the caller saw"), (Forgetful, "the trace has")])
def test_a_wire_that_loses_something_is_found_out(begin, worse, found):
    class Lossy:
        def __init__(self, run):
            self._inner = by_callables(run)

        async def __aenter__(self):
            return worse(await self._inner.__aenter__())

        async def __aexit__(self, *error):
            return await self._inner.__aexit__(*error)

    with pytest.raises(AssertionError, match=found):
        suite.check_a_calm_world_answers_alike(begin, Lossy)
