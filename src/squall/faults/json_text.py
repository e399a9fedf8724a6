"""Whether text is JSON to those who read replies: for kinds of fault whose replies must be none. Knows no kind."""

from __future__ import annotations

import json


def parses(text: str) -> bool:
    """Whether Python's own parser takes the text, which is laxer than the standard (`NaN`)."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
