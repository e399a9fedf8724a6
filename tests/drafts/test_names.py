"""Names in the world's spelling."""

from __future__ import annotations

import pytest

from squall.drafts import names


@pytest.mark.parametrize(
    ("text", "snake"),
    [
        ("LineItem", "line_item"),
        ("line-items", "line_items"),
        ("OpenAIFile", "open_ai_file"),
        ("S3Bucket", "s3_bucket"),
        ("getHTTPResponse", "get_http_response"),
        ("2fa", "x_2_fa"),
        ("…", "x"),
        ("a" * 100, "a" * 64),
    ],
)
def test_a_name_is_small_words_and_begins_with_a_letter(text, snake):
    assert names.snake(text, "x") == snake
    assert names.NAME.match(names.snake(text, "x"))


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("orders", "order"),
        ("line_items", "line_item"),
        ("categories", "category"),
        ("addresses", "address"),
        ("boxes", "box"),
        ("branches", "branch"),
        ("statuses", "status"),
        ("purchases", "purchase"),
        ("people", "person"),
        ("status", "status"),
        ("news", "news"),
        ("s", "s"),
        ("", ""),
    ],
)
def test_one_of_many(many, one):
    assert names.singular(many) == one


@pytest.mark.parametrize(
    ("field", "record"),
    [
        ("customerId", "customer"),
        ("customer_ids", "customer"),
        ("lineItemUUID", "line_item"),
        ("id", None),
        ("paid", None),
    ],
)
def test_a_field_names_the_record_whose_id_it_holds(field, record):
    assert names.subject(field) == record


def test_a_taken_name_is_numbered():
    taken = names.Taken("world")
    given = [taken.take(name) for name in ("world", "a", "a", "a_2", "a", "b" * 64, "b" * 64)]
    assert given == ["world_2", "a", "a_2", "a_2_2", "a_3", "b" * 64, "b" * 62 + "_2"]


def test_many_of_one_name_are_numbered_in_no_time():
    taken = names.Taken()
    assert [taken.take("a") for _ in range(20_000)][-1] == "a_20000"


@pytest.mark.parametrize(("text", "name"), [("from", "from_"), ("X-Rate", "x_rate"), ("7", "value_7"), ("ok", "ok")])
def test_an_argument_has_a_name_that_python_takes(text, name):
    assert names.identifier(text) == name
