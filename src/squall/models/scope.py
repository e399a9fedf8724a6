"""The scope of a request: the name that its counters are kept under, so that runs at the same time do not mix.

The body's `mock_scope` comes first, then a marker in what is asked now, then a header. Knows no counters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from squall.call import BadRequest, ModelRequest

FIELD, HEADER = "mock_scope", "x-squall-scope"
DEFAULT = ""
NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
SIGN = "_SCOPE="
ENDS = r"""\s"'`\\<>()\[\]{}\u2018-\u201f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20"""  # also where no spaces are written
MARKER = re.compile(rf"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))(?:SQUALL|LB_MOCK)_SCOPE=([^{ENDS}]*)")
"""Also within a quotation, a tag or a string of JSON that somebody has put what the user says into."""
AFTER = ",;!?"
"""What may follow a marker in a sentence, and is no part of it."""


def scope_of(request: ModelRequest) -> str:
    """The scope of a request. Raises `BadRequest` for a name of other characters, or of more than 128."""
    explicit = request.body.get(FIELD)
    if explicit is not None:
        return checked(explicit, FIELD)
    for text in _now(request):
        if SIGN in text and (found := _marked(text)) is not None:
            return found
    header = request.headers.get(HEADER)
    return DEFAULT if header is None else checked(header, HEADER)


def named(body: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
    """The scope that a request names which asks no model anything; None where it names none, or what can be none."""
    name = body.get(FIELD, headers.get(HEADER))
    return name if isinstance(name, str) and NAME.fullmatch(name) else None


def _now(request: ModelRequest) -> list[str]:
    """What is asked now: the last message of the user, or the inputs of embeddings."""
    if request.inputs:
        return [one for one in request.inputs if isinstance(one, str)]
    return next(([message.text] for message in reversed(request.messages) if message.role == "user"), [])


def _marked(text: str) -> str | None:
    found = {checked(marker.rstrip(AFTER), "the scope's marker") for marker in MARKER.findall(text)}
    if len(found) > 1:
        raise BadRequest(f"A request has one scope, and this one names several: {', '.join(sorted(found))}")
    return found.pop() if found else None


def checked(name: Any, place: str) -> str:
    """The name of a scope that stands at a place of a request. Raises `BadRequest` for what can be none."""
    if not isinstance(name, str) or NAME.fullmatch(name) is None:
        raise BadRequest(
            f"{place}: a scope is 1 to 128 of the characters A-Z a-z 0-9 _ . : -",
            param=FIELD if place == FIELD else None,
        )
    return name
