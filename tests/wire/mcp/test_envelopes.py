"""What is a message of JSON-RPC, and what is answered to the rest."""

from __future__ import annotations

import json

import mcp_types as types
import pytest

from squall.wire.mcp.envelopes import NoMessage, id_of, message_of


def envelope(**parts):
    return json.dumps({"jsonrpc": "2.0", **parts}).encode()


@pytest.mark.parametrize("name", [0, -7, 10**30, "", "a", "1.5"])
def test_the_id_of_a_request_is_a_string_or_an_integer(name):
    body = envelope(id=name, method="tools/list", params={"cursor": None})
    assert id_of(body) == name
    asked = message_of(body)
    assert isinstance(asked, types.JSONRPCRequest)
    assert asked.id == name


@pytest.mark.parametrize("name", [None, True, False, 1.5, 1.0, {}, [1]])
@pytest.mark.parametrize("more", [{}, {"params": {}}, {"error": {"code": 1, "message": "no"}}, {"result": {}}])
@pytest.mark.parametrize("read", [id_of, message_of])
def test_any_other_is_refused_whatever_else_stands_there(read, name, more):
    with pytest.raises(NoMessage, match="Invalid Request") as refused:
        read(envelope(id=name, method="tools/list", **more))
    assert (refused.value.answer.id, refused.value.answer.error.code) == (None, types.INVALID_REQUEST)


def test_a_key_that_is_escaped_is_a_key_and_the_last_of_two_counts():
    for read in (id_of, message_of):
        with pytest.raises(NoMessage):
            read(b'{"jsonrpc":"2.0","\\u0069d":null,"method":"ping"}')
        with pytest.raises(NoMessage):
            read(b'{"jsonrpc":"2.0","id":1,"method":"ping","id":null}')
    assert id_of(b'{"jsonrpc":"2.0","id":null,"method":"ping","id":1}') == 1


@pytest.mark.parametrize(
    "body",
    [
        envelope(method="notifications/initialized"),
        envelope(id=4, result={}),
        envelope(method="ping", params={"id": None}),
    ],
)
def test_what_is_no_request_has_no_id_to_be_answered(body):
    assert id_of(body) is None


def test_what_is_wrong_with_an_envelope_is_said_with_its_id():
    with pytest.raises(NoMessage) as refused:
        id_of(b'{"id":7,"method":"tools/list"}')
    assert (refused.value.answer.id, refused.value.answer.error.code) == (7, types.INVALID_REQUEST)


def test_a_large_call_is_not_read_into_objects(monkeypatch):
    monkeypatch.setattr("squall.wire.mcp.envelopes.message_of", None)
    assert id_of(envelope(id=3, method="tools/call", params={"arguments": {"text": "x" * 10**6}})) == 3
