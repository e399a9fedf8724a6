from __future__ import annotations

import enum
from datetime import UTC, date, datetime
from decimal import Decimal
from types import FunctionType
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import Field
from typing_extensions import TypedDict

from squall.call import Refused
from squall.worlds.services.params import Arguments, input_schema
from squall.worlds.services.signature import BadSignature, listens, read


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.Enum):
    LOW = 1


class Line(TypedDict):
    sku: str
    n: int


def handler(
    world,
    clock,
    a: str,
    b: int,
    c: float = 1.5,
    *,
    d: datetime | None = None,
    e: Optional[date] = None,  # noqa: UP045 - the older spelling is read too
    f: Decimal = Decimal("1.50"),
    g: Literal["x", "y"] = "x",
    h: Colour = Colour.RED,
    i: list[int] = [],  # noqa: B006 - a default like any other
    j: Annotated[int, Field(ge=1, description="how many")] = 1,
    k: Line | None = None,
    m: Any = None,
    n=10,
    o=None,
    p: str = None,  # type: ignore[assignment]  # noqa: RUF013 - a default that the annotation forgot
    q: Level = Level.LOW,
    r: list[Colour] | None = None,
    s: int | str = 1,
    t: bool = False,
):
    """Do a thing.

    More about it.
    """


def checked(**args):
    found = read(handler)
    return Arguments(found.params, found.converters).converted({"a": "x", "b": 1, **args})


def test_arguments_come_as_their_annotations_say():
    assert checked(
        d="2025-06-01T00:00:00Z",
        e="2025-06-01",
        f="2.50",
        g="y",
        h="blue",
        i=[1, 2],
        j=3,
        k={"sku": "A", "n": 1},
        m={"any": "thing"},
        n=5,
        o=object,
        p=None,
        q=1,
        r=["red"],
        s="x",
        t=True,
    ) == {
        "a": "x",
        "b": 1,
        "d": datetime(2025, 6, 1, tzinfo=UTC),
        "e": date(2025, 6, 1),
        "f": Decimal("2.50"),
        "g": "y",
        "h": Colour.BLUE,
        "i": [1, 2],
        "j": 3,
        "k": {"sku": "A", "n": 1},
        "m": {"any": "thing"},
        "n": 5,
        "o": object,
        "p": None,
        "q": Level.LOW,
        "r": [Colour.RED],
        "s": "x",
        "t": True,
    }


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"b": "1"}, "b: '1' is not a whole number"),
        ({"d": "soon"}, "d: 'soon' is not a date and time such as 2025-06-01T12:00:00Z"),
        ({"g": "z"}, "g: 'z' is not one of x, y"),
        ({"h": "rde"}, "h: 'rde' is not one of red, blue; did you mean 'red'?"),
        ({"h": None}, "h: null is not one of red, blue"),
        ({"i": ["x"]}, "i[0]: 'x' is not a whole number"),
        ({"j": 0}, "j: input should be greater than or equal to 1"),
        ({"k": {"sku": "A", "n": "many"}}, "k.n: input should be a valid integer"),
        ({"n": "ten"}, "n: 'ten' is not a whole number"),
        ({"bb": 1}, "unknown argument 'bb'; "),
    ],
)
def test_an_argument_that_does_not_fit_is_refused_in_plain_words(args, message):
    with pytest.raises(Refused) as caught:
        checked(**args)
    assert str(caught.value).startswith(message)
    assert caught.value.reason == "arguments"
    assert not any(
        word in str(caught.value).lower() for word in ("squall", "mock", "test", "pydantic", "errors.pydantic")
    )


def test_all_that_is_missing_or_unknown_is_said_at_once():
    arguments = Arguments(read(handler).params, read(handler).converters)
    with pytest.raises(Refused) as caught:
        arguments.converted({"bb": 1})
    assert str(caught.value) == "unknown argument 'bb'; did you mean 'b'? And missing argument 'a'"
    with pytest.raises(Refused) as missing:
        arguments.converted({})
    assert str(missing.value) == "missing argument 'a'; missing argument 'b'"


def test_the_schema_has_types_defaults_and_descriptions():
    schema = input_schema(read(handler).params)
    assert schema["required"] == ["a", "b"]
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert properties["a"] == {"type": "string"}
    assert properties["c"] == {"type": "number", "default": 1.5}
    assert properties["d"] == {"type": ["string", "null"], "format": "date-time"}
    assert properties["f"]["default"] == "1.50"
    assert properties["g"] == {"type": "string", "enum": ["x", "y"], "default": "x"}
    assert properties["h"] == {"type": "string", "enum": ["red", "blue"], "default": "red"}
    assert properties["j"] == {"type": "integer", "minimum": 1, "description": "how many", "default": 1}
    assert properties["m"] == {}
    assert properties["n"] == {"type": "integer", "default": 10}


def test_the_first_paragraph_of_the_docstring_describes_the_tool():
    assert read(handler).description == "Do a thing."
    assert read(lambda world, clock: None).description is None


def test_async_handlers_are_known_as_such():
    async def later(world, clock):
        """Wait."""

    class Callable:
        async def __call__(self, world, clock):
            """Wait."""

    assert read(later).is_async
    assert read(Callable()).is_async
    assert not read(handler).is_async


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: None, r"takes \(nothing\), but is called as func\(world, clock, \*\*args\): begin with world, clock"),
        (lambda world: None, r"takes \(world\)"),
        (lambda clock, world: None, r"takes \(clock, world\)"),
        (lambda world, clock, *rest: None, r"takes \*rest, but a tool has named arguments"),
        (lambda world, clock, **rest: None, r"takes \*\*rest, but a tool has named arguments"),
        (lambda world, clock, a, /: None, "takes a, but a tool has named arguments"),
        (print, "takes|signature"),
    ],
)
def test_a_signature_that_cannot_be_called_so_is_named(function, message):
    with pytest.raises(BadSignature, match=message):
        read(function)


def test_an_annotation_that_means_nothing_is_named():
    def unknown(world, clock, when: datetme):  # type: ignore[name-defined]  # noqa: F821 - misspelled on purpose
        """Wait."""

    with pytest.raises(BadSignature, match="name 'datetme' is not defined; did you mean 'datetime'"):
        read(unknown)

    def wrong(world, clock, a: 1 / 0):  # type: ignore[valid-type]  # no type on purpose
        """Wait."""

    with pytest.raises(BadSignature, match="ZeroDivisionError"):
        read(wrong)

    def no_json(world, clock, a: FunctionType):
        """Wait."""

    with pytest.raises(BadSignature, match=r"annotates 'a' with .* which JSON arguments cannot be"):
        read(no_json)


def test_defaults_that_have_no_json_form_are_left_out_of_the_schema():
    def odd(world, clock, a: Any = object()):  # noqa: B008 - a default like any other
        """Wait."""

    assert read(odd).params[0].default is None


class Yielding:
    def __call__(self, world, clock):
        yield 1


class YieldingAsync:
    async def __call__(self, world, clock):
        yield 1


def yielding(world, clock):
    yield 1


async def yielding_async(world, clock):
    yield 1


@pytest.mark.parametrize("handler", [Yielding(), YieldingAsync(), yielding, yielding_async])
@pytest.mark.parametrize("read_it", [read, listens])
def test_a_generator_is_no_handler(handler, read_it):
    with pytest.raises(BadSignature, match="is a generator, so calling it runs nothing: return the answer"):
        read_it(handler)
