"""Pairs of strategies in words, and each pair's counts as a bar: both passed, one of them, the other, neither."""

from __future__ import annotations

import re
from collections.abc import Sequence

from squall.reports.page.markup import Markup, tag, text
from squall.reports.pairs import LONGEST, Pair
from squall.reports.visible import visible
from squall.stats.compare import Comparison

TALL = 22
P_VALUE = re.compile(r"(\(p [=<] [0-9.]+\))")


def pairs(found: Sequence[Pair]) -> Markup:
    """One block for each."""
    return tag("ul", [tag("li", tag("p", _parts(pair.sentence)), _counts(pair)) for pair in found], class_="pairs")


def _parts(sentence: str) -> list[Markup]:
    """The p value stays on one line."""
    return [
        tag("span", part, class_="whole") if P_VALUE.fullmatch(part) else text(part) for part in P_VALUE.split(sentence)
    ]


def _counts(pair: Pair) -> Markup | None:
    if pair.comparison is None:
        return None
    a, b = visible(pair.a, LONGEST), visible(pair.b, LONGEST)
    parts = (
        ("both", "both pass", pair.comparison.both),
        ("one", f"only {a}", pair.comparison.only_a),
        ("other", f"only {b}", pair.comparison.only_b),
        ("neither", "neither", pair.comparison.neither),
    )
    key = [
        tag("li", tag("span", class_=f"swatch {kind}", aria_hidden="true"), f"{words}: {count}")
        for kind, words, count in parts
    ]
    return tag("div", _bar(pair.comparison), tag("ul", key, class_="legend"))


def _bar(comparison: Comparison) -> Markup:
    """As wide as the page, the counts' shares of it."""
    drawn, start = [], 0
    counts = (
        ("both", comparison.both),
        ("one", comparison.only_a),
        ("other", comparison.only_b),
        ("neither", comparison.neither),
    )
    for kind, count in counts:
        share, at = count / comparison.runs * 100, start / comparison.runs * 100
        if count:
            drawn.append(tag("rect", x=f"{at:.2f}%", y=0, width=f"{share:.2f}%", height=TALL, class_=kind))
        start += count
    return tag("svg", drawn, width="100%", height=TALL, class_="bar", aria_hidden="true")
