"""The scope of a request: where it may be named, what beats what, and which names are refused."""

from __future__ import annotations

import pytest

from squall.call import BadRequest, Message, ModelRequest
from squall.models import scope


def asked(*texts, **changes):
    return ModelRequest("chat", "m", tuple(Message(*one) for one in texts), **changes)


def test_without_a_name_a_request_has_the_default_scope():
    assert scope.scope_of(asked(("user", "Hello"))) == scope.DEFAULT


@pytest.mark.parametrize("marker", ["SQUALL_SCOPE", "LB_MOCK_SCOPE"])
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "Pay. {} Now",
        "({}), please",
        "Pay, {}!",
        '{{"task": "{}"}}',
        '{{"task":"{}","limit":5}}',
        "{{'tasks':['{}','b']}}",
        r"{{\"task\":\"{}\",\"limit\":5}}",
        r"Pay.\n{}\nNow.",
        "<task>{}</task><more/>",
        "[{}](notes)",
        "`{}`",
        "答：{}\u3002好",
        "\u201c{}\u201d",
        "{}\nmore",
    ],
)
def test_a_marker_in_the_current_user_message_names_it(marker, around):
    text = around.format(f"{marker}=run17.rag.group3")
    assert (
        scope.scope_of(asked(("user", text), ("assistant", "Hm"), ("tool", "SQUALL_SCOPE=other"))) == "run17.rag.group3"
    )


def test_markers_in_older_messages_and_of_others_do_not_count():
    older = asked(("system", "SQUALL_SCOPE=a"), ("user", "SQUALL_SCOPE=b"), ("assistant", "Yes?"), ("user", "Go on"))
    assert scope.scope_of(older) == scope.DEFAULT
    assert scope.scope_of(asked(("user", "MY_SQUALL_SCOPE=a"))) == scope.DEFAULT


def test_a_marker_in_the_input_of_an_embedding_names_it():
    inputs = ("plain", (1, 2), "SQUALL_SCOPE=e1 text")
    assert scope.scope_of(ModelRequest("embeddings", "m", inputs=inputs)) == "e1"


def test_the_body_beats_a_marker_and_a_marker_beats_the_header():
    headers, text = {"x-squall-scope": "header"}, ("user", "SQUALL_SCOPE=marker")
    assert scope.scope_of(asked(text, headers=headers, body={"mock_scope": "body"})) == "body"
    assert scope.scope_of(asked(text, headers=headers)) == "marker"
    assert scope.scope_of(asked(("user", "Hello"), headers=headers)) == "header"


@pytest.mark.parametrize("name", ["", "a b", "a/b", "ä", "x" * 129, 7, ["a"], "a\n"])
def test_other_names_are_refused_in_the_body(name):
    with pytest.raises(BadRequest, match="1 to 128") as refused:
        scope.scope_of(asked(("user", "Hello"), body={"mock_scope": name}))
    assert (refused.value.status, refused.value.param) == (400, "mock_scope")


@pytest.mark.parametrize(
    "text",
    [
        "SQUALL_SCOPE=",
        "SQUALL_SCOPE=a/b",
        "SQUALL_SCOPE=a,b",
        "SQUALL_SCOPE=a!b",
        "SQUALL_SCOPE=a*",
        "SQUALL_SCOPE=ä",
        'SQUALL_SCOPE="a"',
        "LB_MOCK_SCOPE=" + "x" * 129,
    ],
)
def test_other_names_are_refused_in_a_marker(text):
    with pytest.raises(BadRequest, match="1 to 128"):
        scope.scope_of(asked(("user", text)))


@pytest.mark.parametrize("name", ["", "a b"])
def test_other_names_are_refused_in_the_header(name):
    with pytest.raises(BadRequest, match="x-squall-scope"):
        scope.scope_of(asked(("user", "Hello"), headers={"x-squall-scope": name}))


def test_the_longest_name_is_taken():
    assert scope.scope_of(asked(("user", "SQUALL_SCOPE=" + "x" * 128))) == "x" * 128


def test_two_markers_are_one_scope_or_none():
    assert scope.scope_of(asked(("user", "SQUALL_SCOPE=a LB_MOCK_SCOPE=a"))) == "a"
    with pytest.raises(BadRequest, match="a, b"):
        scope.scope_of(asked(("user", "SQUALL_SCOPE=a SQUALL_SCOPE=b")))
