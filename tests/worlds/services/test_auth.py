"""Access tokens: refused where they are missing, wrong or expired, and renewed."""

from __future__ import annotations

import asyncio

import pytest

import squall
from squall.call import Refused
from squall.errors import UsageError
from squall.worlds import World

TEXT = """
services:
  orders:
    auth: { token: tok_live, expires: 1h, refresh: renew_token }
    records: { order: { id: str, note: str?, placed_at: datetime } }
    seed: { order: 2 }
    operations:
      get_order: { kind: get, record: order }
      list_orders: { kind: list, record: order, filter: [note] }
      create_order: { kind: create, record: order, idempotency_key: key }
      close: { kind: custom, handler: rules.close }
      aclose: { kind: custom, handler: rules.aclose }
  open:
    operations: { peek: { kind: get, record: orders.order } }
"""
RULES = """
def close(world, clock, order: str):
    return world.call("get_order", {"id": order})

async def aclose(world, clock, order: str):
    return close(world, clock, order)
"""


@pytest.fixture
def shop(make):
    return World.load(make(TEXT, rules=RULES))


def refused(world, tool, args):
    with pytest.raises(Refused) as caught:
        world.call(tool, args)
    return caught.value.reason, str(caught.value)


def test_whoever_has_the_token_gets_in(shop):
    assert shop.call("get_order", {"id": "1", "token": "tok_live"})["id"] == "1"
    assert len(shop.call("list_orders", {"token": "tok_live"})) == 2
    assert shop.call("create_order", {"token": "tok_live", "note": "x", "key": "k"})["note"] == "x"


@pytest.mark.parametrize("tool", ["get_order", "list_orders", "create_order", "close", "aclose", "renew_token"])
@pytest.mark.parametrize(
    ("token", "text"),
    [
        ({}, "missing access token; give it as token"),
        ({"token": None}, "missing access token; give it as token"),
        ({"token": "tok_dead"}, "invalid access token"),
        ({"token": 5}, "invalid access token"),
    ],
)
def test_without_a_good_token_nothing_is_told(shop, tool, token, text):
    assert refused(shop, tool, {"wrong": 1, **token}) == ("unauthorized", text)
    assert shop.revision == 0


def test_a_token_expires_by_the_clock_and_can_be_renewed(shop):
    args = {"id": "1", "token": "tok_live"}
    shop.clock.advance(3599)
    assert shop.call("get_order", args)["id"] == "1"
    shop.clock.advance(1)
    expired = ("unauthorized", "the access token has expired; get a new one with renew_token")
    assert refused(shop, "get_order", args) == expired
    answer = shop.call("renew_token", {"token": "tok_live"})
    assert answer["expires_in"] == 3600
    args["token"] = answer["token"]
    assert shop.call("get_order", args)["id"] == "1"
    shop.clock.advance(3600)
    assert refused(shop, "get_order", args) == expired
    assert shop.call("renew_token", {"token": args["token"]})["token"] not in ("tok_live", args["token"])


def test_a_new_token_leaves_the_old_one_good_for_its_time(shop):
    new = shop.call("renew_token", {"token": "tok_live"})["token"]
    for token in (new, "tok_live"):
        assert shop.call("get_order", {"id": "1", "token": token})


def test_new_tokens_are_the_same_in_every_run_of_a_seed(make):
    path = make(TEXT, rules=RULES)
    tokens = [World.load(path, seed=seed).call("renew_token", {"token": "tok_live"})["token"] for seed in (1, 1, 2)]
    assert tokens[0] == tokens[1] != tokens[2]


def test_a_dry_run_gives_no_token_out(shop):
    token = shop.call("renew_token", {"token": "tok_live"}, commit=False)["token"]
    assert refused(shop, "get_order", {"id": "1", "token": token}) == ("unauthorized", "invalid access token")
    assert shop.call("renew_token", {"token": "tok_live"})["token"] == token


def test_handlers_take_the_token_and_need_none_for_what_they_call(shop):
    assert shop.call("close", {"order": "1", "token": "tok_live"})["id"] == "1"
    assert asyncio.run(shop.call("aclose", {"order": "1", "token": "tok_live"}))["id"] == "1"


def test_a_stale_read_still_asks_for_the_token(shop):
    with pytest.raises(Refused, match="missing access token"):
        shop.as_of(0, "get_order", {"id": "1"})
    assert shop.as_of(0, "get_order", {"id": "1", "token": "tok_live"})["id"] == "1"


def test_other_services_are_open(shop):
    assert shop.call("peek", {"id": "1"})["id"] == "1"


def test_the_tools_ask_for_it_and_faults_do_not_see_it(shop):
    operation = shop.operations["create_order"]
    assert operation.input_schema["required"] == ["token"]
    assert [param.name for param in operation.params][:2] == ["token", "id"]
    assert shop.operations["get_order"].input_schema["required"] == ["id", "token"]
    assert "token" not in shop.operations["peek"].input_schema["properties"]
    assert shop.volatile == ("token",)
    renew = shop.operations["renew_token"]
    assert (renew.service, renew.access, renew.kind, renew.returns) == (
        "orders",
        "write",
        "custom",
        ("token", "expires_in"),
    )
    assert shop.age_of("get_order", {"id": "1", "token": "tok_live"}) > 0


def test_a_key_is_the_same_request_whichever_token_it_comes_with(shop):
    new = shop.call("renew_token", {"token": "tok_live"})["token"]
    first = shop.call("create_order", {"key": "k", "note": "x", "token": "tok_live"})
    assert shop.call("create_order", {"key": "k", "note": "x", "token": new}) == first


def test_tokens_work_through_tools(make):
    with squall.world(make(TEXT, rules=RULES)) as run:
        with pytest.raises(squall.ToolError, match="invalid access token"):
            run.tools.get_order("1", token="no")
        run.clock.advance(3600)
        token = run.tools.renew_token(token="tok_live")["token"]
        assert run.tools.get_order(id="1", token=token)["id"] == "1"


def test_a_token_without_a_time_never_expires(world_of):
    world = world_of("""
        tool_names: qualified
        services:
          a:
            auth: { token: t, argument: access_token, refresh: again }
            records: { x: { token: str } }
            operations: { add: { kind: create, record: x } }
        """)
    world.clock.advance(10**9)
    assert world.call("a_add", {"access_token": "t", "token": "y"})["token"] == "y"
    assert world.call("a_again", {"access_token": "t"})["expires_in"] is None


def test_without_refresh_an_expired_token_stays_expired(world_of):
    world = world_of("""
        services:
          a:
            auth: { token: t, expires: 30s }
            records: { x: { n: int } }
            operations: { add: { kind: create, record: x } }
        """)
    world.clock.advance(30)
    assert refused(world, "add", {"token": "t"}) == ("unauthorized", "the access token has expired")
    assert list(world.operations) == ["add"]


@pytest.mark.parametrize(
    ("auth", "message"),
    [
        ("{ expires: 1h }", "missing key 'token'"),
        ("{ token: t, expries: 1h }", "unknown key 'expries'; did you mean 'expires'?"),
        ("{ token: t, expires: soon }", "'soon' is no length of time"),
        ("{ token: t, refresh: my-tool }", "'my-tool' cannot name an operation"),
        ("{ token: t, argument: 2nd }", "'2nd' cannot name an argument"),
        ("{ token: t, argument: n }", "operation 'add' has an argument 'n' of its own, like the access token"),
        ("{ token: t, refresh: add }", "two operations are served as tool 'add'"),
    ],
)
def test_an_auth_that_cannot_be_is_named(auth, message, world_of):
    with pytest.raises(UsageError) as caught:
        world_of(f"""
            services:
              a:
                auth: {auth}
                records: {{ x: {{ n: int }} }}
                operations: {{ add: {{ kind: create, record: x }} }}
            """)
    [problem] = caught.value.problems
    assert problem.message.startswith(message.split(";")[0])
    assert str(problem).startswith("world.yaml:")
    assert message in str(problem)


def test_renewing_takes_nothing_but_the_token(shop):
    assert refused(shop, "renew_token", {"token": "tok_live", "force": True}) == (
        "arguments",
        "unknown argument 'force'; arguments: token",
    )
