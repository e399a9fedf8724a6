"""The checks of `world_over_wire` over every wire that squall has."""

from __future__ import annotations

import pytest

from tests.conformance import world_over_wire as suite

MAKERS = {
    "in process": suite.by_mcp("mcp_server", "auto"),
    "in process, in a session": suite.by_mcp("mcp_server", "legacy"),
    "HTTP": suite.by_mcp("mcp_url", "auto"),
    "HTTP, in a session": suite.by_mcp("mcp_url", "legacy"),
}


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_world_is_the_same_over_every_wire(begin, make, check):
    check(begin, make)


# there the operation that takes its time does so for real
@pytest.mark.parametrize(
    "check",
    [check for check in suite.CHECKS if "takes_its_time" not in check.__name__],
    ids=lambda check: check.__name__.removeprefix("check_"),
)
def test_a_world_is_the_same_in_a_process_of_its_own(begin, check):
    def on_wall_time(*rules, **options):
        return begin(*rules, **{**options, "clock": "wall"})

    check(on_wall_time, suite.by_stdio)


class Deaf:
    """A client that hears only half of what it is told."""

    def __init__(self, client):
        self._client = client

    async def call(self, tool, args):
        seen = await self._client.call(tool, args)
        return seen._replace(said=None) if seen.how == "refused" else seen

    async def tools(self):
        return await self._client.tools()


def test_a_wire_that_loses_something_is_found_out(begin):
    class Lossy:
        def __init__(self, run):
            self._inner = suite.by_callables(run)

        async def __aenter__(self):
            return Deaf(await self._inner.__aenter__())

        async def __aexit__(self, *error):
            return await self._inner.__aexit__(*error)

    with pytest.raises(AssertionError, match="the caller saw"):
        suite.check_a_calm_world_answers_alike(begin, Lossy)
