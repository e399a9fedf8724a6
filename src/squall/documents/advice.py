"""What to do about a value that pydantic refused, in a few words: by the kind of its error and the value.

Knows pydantic's kinds of errors by their names, and no model and no document.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_EXPECTED = {
    "a whole number": ("int_type", "int_parsing", "int_from_float", "int_parsing_size"),
    "a number": ("float_type", "float_parsing", "decimal_type", "decimal_parsing"),
    "a finite number": ("finite_number",),
    "true or false": ("bool_type", "bool_parsing"),
    "text": ("string_type", "string_sub_type"),
    "a list": ("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type"),
    "a mapping": ("dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type"),
    "empty": ("none_required",),
}
PLAIN_TEXT = re.compile(r"[^\\\"\x00-\x1f\x7f-\x9f]{0,60}")
"""What advice repeats in quotes, which mean the same in all formats."""
WORDS: Mapping[str, str] = {kind: words for words, kinds in _EXPECTED.items() for kind in kinds}
"""What was expected, by the kind of error."""

EXAMPLES: Mapping[str, str] = {
    "a whole number": "3",
    "a number": "0.5",
    "a finite number": "0.5",
    "text": '"text"',
    "a list": "[a, b]",
    "a mapping": "{ key: value }",
}
BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than_equal": ("ge", "Write {} or more."),
    "greater_than": ("gt", "Write more than {}."),
    "less_than_equal": ("le", "Write {} or less."),
    "less_than": ("lt", "Write less than {}."),
    "multiple_of": ("multiple_of", "Write a multiple of {}."),
    "string_too_short": ("min_length", "Write at least {} characters."),
    "string_too_long": ("max_length", "Write at most {} characters."),
    "too_short": ("min_length", "Write at least {}."),
    "too_long": ("max_length", "Write at most {}."),
    "string_pattern_mismatch": ("pattern", "Write text that matches {}"),
}
PLAIN: Mapping[str, str] = {
    "none_required": "Take it out.",
    "missing": "Add it.",
    "date": "Write a date such as 2025-06-01.",
    "datetime": "Write a date and time such as 2025-06-01T12:00:00Z.",
    "time": "Write a length of time such as 90 or PT90S.",
}


def advice(kind: str, value: Any, context: Mapping[str, Any] | None = None) -> str | None:
    """What to do, as a sentence; None for kinds of errors that are not known here.

    `kind` is pydantic's name of the error, `value` what was refused, `context` what pydantic tells besides.
    """
    if kind in PLAIN:
        return PLAIN[kind]
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        bound = (context or {}).get(name)
        told = f"{bound:g}" if isinstance(bound, float) else bound
        return None if bound is None else words.format(told).replace(" 1 characters", " 1 character")
    words = WORDS.get(kind, "")
    if words:
        return _unquoted(words, value) or _quoted(words, value) or example(words)
    return PLAIN.get(kind.partition("_")[0])


def example(words: str, *others: str) -> str:
    """How what was expected is written; `others` are what may stand in its place."""
    if not others:
        return f"Write {words}" + (f", {EXAMPLES[words]} for example." if words in EXAMPLES else ".")
    each = (f"{one} ({EXAMPLES[one]})" if one in EXAMPLES else one for one in (words, *others))
    return f"Write {' or '.join(each)}."


def _quoted(words: str, value: Any) -> str | None:
    if words == "text" and isinstance(value, int | float):
        return "Put it in quotes."
    if words == "a list" and isinstance(value, int | float):
        return f"Write [{value}]."
    if words == "a list" and isinstance(value, str) and PLAIN_TEXT.fullmatch(value):
        return f'Write ["{value}"].'
    return None


def _unquoted(words: str, value: Any) -> str | None:
    """That the value is the right one but for its quotes, if it is."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    if words == "true or false":
        return f"Write {text.lower()}, without quotes." if text.lower() in ("true", "false") else None
    read = {"a whole number": int, "a number": float}.get(words)
    try:
        found = read(text) if read else math.nan
    except ValueError:
        return None
    return f"Write {text}, without quotes." if math.isfinite(found) else None
