"""One form for all the ways in which a value can be spelt: what is asked is the same if the values are the same.

Knows values as types have checked them, and no argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def one_form(value: Any) -> Any:
    """A checked value with each decimal in its shortest form: `1.5` for `1.50`."""
    if isinstance(value, Decimal):
        text = f"{value:f}" if value else "0"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, Mapping):
        return {name: one_form(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [one_form(item) for item in value]
    return value
