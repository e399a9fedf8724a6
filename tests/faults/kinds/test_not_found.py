"""The kind `not_found`."""

from __future__ import annotations

from squall.faults.kinds.not_found import KIND


def test_the_service_denies_that_there_is_such_a_thing(trial):
    reply = trial.act(KIND).reply
    assert (reply.form, reply.status, reply.error) == ("refused", 404, "404 Not Found")


def test_it_does_so_in_the_words_of_the_rule(trial):
    assert trial.act(KIND, message="No such order").reply.error == "No such order"


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "before"
    assert trial.example(KIND).phase == "before"


def test_it_cannot_depend_on_an_age_where_no_record_is_addressed(shop):
    wrong = shop.wrong_with("payments.list_refunds: { errors: { not_found_if_newer_than: 2h } }")
    assert wrong == (
        "plan.yaml:1:36: not_found could never fire: payments.list_refunds addresses no single record with a datetime "
        "field, so there is no age to compare"
    )


def test_its_example_parses(trial):
    assert trial.example(KIND).when.newer_than == 7200.0
