"""A text for a schema: of its format, its pattern, and of a length between its bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from squall.models.schemas.pattern import text_for

WORD = "text"
LONGEST = 100_000  # characters
STRETCHED = 1000  # repetitions that a pattern is stretched by
FORMATS = {
    "date-time": "2025-06-{:02}T00:00:00Z",
    "date": "2025-06-{:02}",
    "time": "00:00:{:02}Z",
    "duration": "P{}D",
    "email": "user{}@example.com",
    "idn-email": "user{}@example.com",
    "hostname": "host{}.example.com",
    "idn-hostname": "host{}.example.com",
    "ipv4": "192.0.2.{}",
    "ipv6": "2001:db8::{}",
    "uri": "https://example.com/{}",
    "uri-reference": "https://example.com/{}",
    "iri": "https://example.com/{}",
    "iri-reference": "https://example.com/{}",
    "uri-template": "https://example.com/{}",
    "uuid": "00000000-0000-4000-8000-{:012}",
    "json-pointer": "/{}",
    "relative-json-pointer": "{}",
    "regex": "a{}",
}
DAYS = 28


def text(schema: Mapping[str, Any], variant: int = 0) -> str:
    """A text; where several things are asked of it that do not go together, the nearest that there is."""
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    found = _first(schema, variant, min(least, LONGEST) if isinstance(least, int) else 0)
    return found if not isinstance(most, int) or len(found) <= most or _bound(schema) else found[:most]


def _bound(schema: Mapping[str, Any]) -> bool:
    return isinstance(schema.get("pattern"), str) or schema.get("format") in FORMATS


def _first(schema: Mapping[str, Any], variant: int, least: int) -> str:
    pattern, form = schema.get("pattern"), FORMATS.get(str(schema.get("format")))
    if isinstance(pattern, str):
        return next(_matching(schema, pattern, variant, least), WORD)
    if form is not None:
        return form.format(variant % DAYS + 1)
    word = f"{WORD}{variant}" if variant else WORD
    most = schema.get("maxLength")
    if isinstance(most, int) and len(word) > most:
        word = f"{variant}"[:most] if variant else word[:most]
    return word + "x" * (least - len(word))


def _matching(schema: Mapping[str, Any], pattern: str, variant: int, least: int) -> Iterator[str]:
    """Texts that the pattern finds, of a length that is allowed first."""
    most = schema.get("maxLength")
    tried = []
    more = 0
    while more <= min(least, STRETCHED):
        try:
            found = text_for(pattern, more=more, variant=variant)
            fits = re.search(pattern, found) is not None
        except (ValueError, OverflowError, RecursionError, re.error):
            return
        if fits and len(found) >= least and (not isinstance(most, int) or len(found) <= most):
            yield found
        if fits:
            tried.append(found)
            padded = found + "x" * (least - len(found))
            if re.search(pattern, padded):
                tried.insert(0, padded)
        more += 1
    yield from tried
