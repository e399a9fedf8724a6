"""Types of numbers: whole ones, finite ones, exact decimals, each within bounds. Knows no table.

A bound is one of the numbers, but for those of floats and decimals where `above` and `below` say otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

from squall.errors import shown
from squall.worlds.fields.types import FieldType, Rows, Unfit, unlike

DIGITS = 1_000
"""Longer numbers are refused: a few letters (1E+999999999) would be a gigabyte of digits on the wire."""
_HUGE = 10**DIGITS


@dataclass(frozen=True, slots=True)
class IntType(FieldType):
    """A whole number within bounds; an integral float such as 3.0 counts as one, as in JSON."""

    low: int | None = None
    high: int | None = None
    hint: str | None = None

    def _check(self, value: Any, rows: Rows | None) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:
            raise unlike(value, "a whole number")
        if not -_HUGE < value < _HUGE:
            raise Unfit(f"a whole number has at most {DIGITS} digits")
        _within(value, self.low, self.high)
        return int(value)

    def _schema(self) -> dict[str, Any]:
        return {"type": "integer"} | _bounds(self.low, self.high)


@dataclass(frozen=True, slots=True)
class FloatType(FieldType):
    """A finite number within bounds."""

    low: float | None = None
    high: float | None = None
    hint: str | None = None
    above: bool = False
    below: bool = False

    def _check(self, value: Any, rows: Rows | None) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise unlike(value, "a number")
        if isinstance(value, Decimal) and value.is_nan():
            raise unlike(value, "a number")
        try:
            number = float(value)
        except OverflowError:  # a whole number that is beyond all floats
            number = math.inf
        if not math.isfinite(number):
            raise unlike(value, "a number" if isinstance(value, float) else "a number that a float can hold")
        _within(value, self.low, self.high, above=self.above, below=self.below)
        return number

    def _schema(self) -> dict[str, Any]:
        return {"type": "number"} | _bounds(self.low, self.high, above=self.above, below=self.below)


@dataclass(frozen=True, slots=True)
class DecimalType(FieldType):
    """An exact decimal number, a text on the wire; a JSON number is taken as it is printed."""

    plain: ClassVar[bool] = False
    low: Decimal | None = None
    high: Decimal | None = None
    hint: str | None = None
    above: bool = False
    below: bool = False

    def _check(self, value: Any, rows: Rows | None) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, Decimal | int | float | str):
            raise unlike(value, "a decimal number")
        try:
            number = (
                value if isinstance(value, Decimal) else Decimal(repr(value) if isinstance(value, float) else value)
            )
        except InvalidOperation:
            raise unlike(value, "a decimal number") from None
        if not number.is_finite():
            raise unlike(value, "a decimal number")
        if (not isinstance(value, str) or len(value) > DIGITS or "E" in value.upper()) and endless(number):
            raise unlike(value, f"a decimal number of at most {DIGITS} digits on either side")
        _within(number, self.low, self.high, above=self.above, below=self.below)
        return number

    def _wire(self, value: Any) -> str:
        return f"{value:f}"  # never 1E+2

    def _schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": r"^-?\d+(\.\d+)?$", "description": "a decimal number as text"}


def endless(number: Decimal) -> bool:
    """Whether a finite number has too many digits to be written out."""
    return abs(number.adjusted()) > DIGITS or int(number.as_tuple().exponent) < -DIGITS


def _within(value: Any, low: Any, high: Any, *, above: bool = False, below: bool = False) -> None:
    too_low = low is not None and (value < low or (above and value == low))
    if too_low or (high is not None and (value > high or (below and value == high))):
        bounds = f"{'>' * above}{_said(low)}..{'<' * below}{_said(high)}"
        raise Unfit(f"{_said(value)} is not in {bounds}")


def _said(number: Any) -> str:
    if number is None:
        return ""
    return str(number) if isinstance(number, Decimal) else shown(number)


def _bounds(low: Any, high: Any, *, above: bool = False, below: bool = False) -> dict[str, Any]:
    bounds = {"exclusiveMinimum" if above else "minimum": low, "exclusiveMaximum" if below else "maximum": high}
    return {name: bound for name, bound in bounds.items() if bound is not None}
