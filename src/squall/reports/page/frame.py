"""The frame of a page: one file that forbids itself scripts and requests, with its one style sheet in it.

Knows neither runs nor explorations.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from squall.reports.page.markup import Markup, tag
from squall.reports.visible import visible

LONGEST = 120


def page(title: str, parts: Sequence[Markup]) -> str:
    """The whole page. Its Content-Security-Policy knows the digest of its style sheet, and allows nothing else."""
    body = tag("body", tag("main", parts))
    return f"<!doctype html>\n{tag('html', _head(title), body, lang='en')}\n"


def section(title: str, *parts: Markup | None, name: str) -> Markup:
    """A part of the page with its heading."""
    return tag("section", tag("h2", title), [part for part in parts if part is not None], id=name)


def _head(title: str) -> Markup:
    style = _style()
    mark = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{mark}'; base-uri 'none'; form-action 'none'"
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", visible(title, LONGEST)),
        Markup(f"<style>{style}</style>"),
    )


@cache
def _style() -> str:
    return (files("squall.reports.page") / "style.css").read_text(encoding="utf-8")
