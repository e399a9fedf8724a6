"""A long text of which the page shows the beginning, and the rest to whoever opens it. Works without scripts."""

from __future__ import annotations

from squall.reports.lines import parted
from squall.reports.page.markup import LONGEST, Markup, tag
from squall.reports.visible import visible


def unfolding(kind: str, words: str, longest: int, class_: str | None = None) -> Markup:
    """A text in a `p` or a `li`; what is longer is cut between its words, and can be opened."""
    head, rest = parted(visible(words, LONGEST), longest)
    if not rest:
        return tag(kind, head, class_=class_)
    begins = tag("summary", head, tag("span", " …", class_="more"))
    whole = tag("details", begins, tag("p", rest), class_=f"long {class_}" if class_ else "long")
    return whole if kind == "p" else tag(kind, whole)
