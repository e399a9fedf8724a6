"""The kinds `http_400` to `http_599`."""

from __future__ import annotations

import pytest

from squall.faults.kinds.http_status import FAMILY, kind_for
from squall.faults.status import status_in as parse


def test_the_service_refuses_with_the_status_and_its_phrase(trial):
    reply = trial.act(kind_for(500)).reply
    assert (reply.form, reply.status, reply.error) == ("refused", 500, "500 Internal Server Error")
    assert reply.retry_after is None


def test_it_says_when_to_try_again_where_the_rule_does(trial):
    reply = trial.act(kind_for(429), retry_after="1m").reply
    assert (reply.retry_after, reply.error) == (60.0, "429 Too Many Requests. Retry after 60 seconds.")


def test_a_message_takes_the_place_of_the_phrase(trial):
    assert trial.act(kind_for(503), message="Down for the night").reply.error == "503 Down for the night"


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert kind_for(500).phase == "before"
    assert trial.example(kind_for(503)).phase == "before"


@pytest.mark.parametrize(("name", "status"), [("http_400", 400), ("http_418", 418), ("http_599", 599)])
def test_a_status_is_read_from_the_name(name, status):
    assert parse(name) == status


@pytest.mark.parametrize(
    "name", ["http_399", "http_600", "http_0500", "http_", "http_5xx", "https_500", "500", "http_٥٠٠"]
)
def test_other_names_are_none_of_them(name):
    assert parse(name) is None


def test_a_member_of_the_family_is_found_by_its_name_and_one_stands_for_all():
    found = FAMILY.member("http_418")
    assert found is not None
    assert found.name == "http_418"
    assert FAMILY.member("http_300") is None
    assert FAMILY.shown.name == "http_503"


def test_its_example_parses(trial):
    assert trial.example(kind_for(503)).params == {"retry_after": 2.0}
