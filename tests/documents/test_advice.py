"""What to do about a value that was refused, `documents/advice.py`."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from squall.documents.advice import advice, example


def advised(annotation, value):
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(annotation).validate_python(value)
    (error,) = caught.value.errors()
    return advice(error["type"], error["input"], error.get("ctx"))


@pytest.mark.parametrize(
    ("annotation", "value", "said"),
    [
        (int, "x", "Write a whole number, 3 for example."),
        (int, 1.5, "Write a whole number, 3 for example."),
        (Annotated[int, Field(strict=True)], " 7 ", "Write 7, without quotes."),
        (Annotated[int, Field(strict=True)], "7.5", "Write a whole number, 3 for example."),
        (Annotated[float, Field(strict=True)], "0.5", "Write 0.5, without quotes."),
        (Annotated[float, Field(strict=True)], "nan", "Write a number, 0.5 for example."),
        (Annotated[float, Field(allow_inf_nan=False)], float("inf"), "Write a finite number, 0.5 for example."),
        (Annotated[bool, Field(strict=True)], "True", "Write true, without quotes."),
        (bool, "perhaps", "Write true or false."),
        (str, 7, "Put it in quotes."),
        (str, True, "Put it in quotes."),
        (str, ["x"], 'Write text, "text" for example.'),
        (list[str], "x", 'Write ["x"].'),
        (list[str], "x, y", 'Write ["x, y"].'),
        (list[str], "x" * 61, "Write a list, [a, b] for example."),
        (list[str], 5, "Write [5]."),
        (list[str], {"a": 1}, "Write a list, [a, b] for example."),
        (dict[str, int], [1], "Write a mapping, { key: value } for example."),
        (None, 5, "Take it out."),
        (Annotated[int, Field(ge=1)], 0, "Write 1 or more."),
        (Annotated[float, Field(gt=0)], 0, "Write more than 0."),
        (Annotated[float, Field(le=0.5)], 1, "Write 0.5 or less."),
        (Annotated[float, Field(lt=1)], 1, "Write less than 1."),
        (Annotated[int, Field(multiple_of=5)], 7, "Write a multiple of 5."),
        (Annotated[str, Field(min_length=3)], "x", "Write at least 3 characters."),
        (Annotated[str, Field(min_length=1)], "", "Write at least 1 character."),
        (Annotated[str, Field(max_length=3)], "abcd", "Write at most 3 characters."),
        (Annotated[list[int], Field(min_length=1)], [], "Write at least 1."),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "Write at most 1."),
        (Annotated[str, Field(pattern="^[a-z]+$")], "A", "Write text that matches ^[a-z]+$"),
        (date, "soon", "Write a date such as 2025-06-01."),
        (datetime, "soon", "Write a date and time such as 2025-06-01T12:00:00Z."),
        (timedelta, "soon", "Write a length of time such as 90 or PT90S."),
    ],
)
def test_each_kind_of_error_says_what_to_do(annotation, value, said):
    assert advised(annotation, value) == said


def test_a_kind_of_error_that_is_not_known_says_nothing_more():
    assert advised(Literal["a"], "b") is None
    assert advice("greater_than", 5) is None


def test_what_was_expected_is_shown_as_it_is_written_and_so_are_alternatives():
    assert example("empty") == "Write empty."
    assert example("true or false", "a list") == "Write true or false or a list ([a, b])."
