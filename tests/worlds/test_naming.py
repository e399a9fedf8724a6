from __future__ import annotations

import pytest

from squall.worlds.naming import article, plural, short_names


@pytest.mark.parametrize(
    ("name", "many"),
    [
        ("order", "orders"),
        ("address", "addresses"),
        ("box", "boxes"),
        ("batch", "batches"),
        ("wish", "wishes"),
        ("category", "categories"),
        ("day", "days"),
        ("y", "ys"),
        ("line_item", "line_items"),
    ],
)
def test_plurals_follow_the_rules(name, many):
    assert plural(name) == many


def test_a_record_of_that_very_name_beats_a_plural():
    names = short_names(["a.order", "b.orders"])
    assert names["orders"] == ("b.orders",)
    assert names["order"] == ("a.order",)


def test_a_short_name_lists_all_that_it_may_mean():
    assert short_names(["a.item", "b.item"])["items"] == ("a.item", "b.item")


def test_articles_fit_the_name():
    assert (article("order"), article("refund")) == ("an order", "a refund")
