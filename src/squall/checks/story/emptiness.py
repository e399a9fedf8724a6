"""Results that found nothing: JSON with nothing in it, lists of hits without one, and the short texts that say so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

HITS = frozenset(
    "results result items data hits matches records rows documents docs entries values list files orders products "
    "articles pages users events messages content search_results organic output answer response edges nodes objects "
    "contexts chunks passages snippets links urls tickets found".split()
)
"""Where a result keeps what it found. Plural names of other things count as well."""
THINGS = "(?:results?|match(?:es|ing \\w+)?|hits|records?|rows|documents?|items|entries|data|output|answers?)"
ABOUT = "(?: (?:for|matching|in) .{1,60})?"
NOTHING = re.compile(
    r"(?:\W*(?:sorry|ok|done|success|search (?:complete|finished)|query executed)\W+)?"
    rf"(?:none|null|nil|n/?a|nothing|empty|0 {THINGS}(?: (?:found|returned))?"
    rf"|(?:there (?:are|were) )?(?:no|zero) (?:\w+ ){{0,3}}?{THINGS}"
    rf"(?: (?:were |was )?(?:found|returned|available|matched))?{ABOUT}"
    rf"|no \w+ found{ABOUT}|nothing (?:was )?found{ABOUT}|empty (?:result|list|response|set)(?: set)?)\W*",
    re.IGNORECASE | re.DOTALL,
)
LONGEST = 120
"""Characters: a longer text says more than that there is nothing."""
DEEPEST = 3
LISTS = (list, tuple)
NOT_FOUND_NUMBERS = frozenset(
    "total count total_count totalCount num_results size length hits found total_results".split()
)


def is_empty(value: Any) -> bool:
    """Whether a result that is no failure found nothing."""
    if value is None:
        return True
    if isinstance(value, str):
        text = value.strip()
        return not text or text in ("[]", "{}", '""') or (len(text) <= LONGEST and bool(NOTHING.fullmatch(text)))
    if isinstance(value, LISTS):
        return not value or (len(value) == 1 and _is_empty_part(value[0]))
    return isinstance(value, Mapping) and _has_no_hits(value, DEEPEST)


def _is_empty_part(part: Any) -> bool:
    """A content of one part of text, as providers and MCP have them."""
    return isinstance(part, Mapping) and part.get("type") in ("text", "output_text") and is_empty(part.get("text"))


def _has_no_hits(value: Mapping[str, Any], depth: int) -> bool:
    """Nothing at all, or a list of hits that is empty and no list that is not."""
    if not value:
        return True
    empty = False
    for name, inner in value.items():
        if isinstance(inner, LISTS):
            if inner:
                return False
            empty = empty or name in HITS or name.endswith("s")
        elif isinstance(inner, Mapping):
            if name in HITS:
                if depth <= 0 or not _has_no_hits(inner, depth - 1):
                    return False
                empty = True
        elif inner is None and name in HITS:
            empty = True
        elif name in NOT_FOUND_NUMBERS and inner:
            return False
        elif name in HITS and isinstance(inner, str):
            if not is_empty(inner):
                return False
            empty = True
    return empty and not _is_record(value)


def _is_record(value: Mapping[str, Any]) -> bool:
    """A thing of its own that merely has nothing in a list: an order without notes."""
    return any(name in value for name in ("id", "_id", "uuid", "name", "email", "title"))
