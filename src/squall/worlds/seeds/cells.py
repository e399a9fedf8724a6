"""What generated cells look like: names, e-mail addresses, cities, prices, picked from small pools.

A filler turns one keyed 64-bit number and the row's id into a value, so a cell depends on nothing but its key.
Knows no seed, no type and no table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final
from unicodedata import normalize

from squall.worlds.seeds import pools

Filler = Callable[[int, str], Any]
"""Takes the cell's number and the row's id."""


def pick(pool: list[str]) -> Filler:
    """Fills with one of `pool`."""
    size = len(pool)
    return lambda number, _key: pool[number % size]


def _pair(number: int, left: list[str], right: list[str]) -> tuple[str, str]:
    rest, first = divmod(number, len(left))
    return left[first], right[rest % len(right)]


def _name(number: int, _key: str) -> str:
    return " ".join(_pair(number, pools.FIRST, pools.LAST))


def _last_name(number: int, _key: str) -> str:
    return _pair(number, pools.FIRST, pools.LAST)[1]


def _email(number: int, key: str) -> str:
    return _email_of(*_pair(number, pools.FIRST, pools.LAST), key)


def _username(number: int, key: str) -> str:
    return _username_of(*_pair(number, pools.FIRST, pools.LAST), key)


def _email_of(first: str, last: str, key: str) -> str:
    return f"{first}.{last}{key}@example.com".lower()  # the id keeps addresses of one table apart


def _username_of(first: str, last: str, key: str) -> str:
    return f"{first}{last[0]}{key}".lower()


def _phone(number: int, _key: str) -> str:
    return f"+1-555-{number % 900 + 100}-{number // 900 % 10_000:04d}"


def _street(number: int, _key: str) -> str:
    rest, house = divmod(number, 180)
    return f"{house + 1} {' '.join(_pair(rest, pools.STREETS, pools.STREET_ENDS))}"


def _address(number: int, _key: str) -> str:
    return f"{_street(number, _key)}, {pools.CITIES[(number >> 32) % len(pools.CITIES)]}"


def _postcode(number: int, _key: str) -> str:
    return f"{number % 90_000 + 10_000}"


def _product(number: int, _key: str) -> str:
    return " ".join(_pair(number, pools.COLOURS, pools.THINGS))


def _company(number: int, _key: str) -> str:
    return " ".join(_pair(number, pools.LAST, pools.TRADES))


def _url(number: int, key: str) -> str:
    return f"https://example.com/{'-'.join(_pair(number, pools.WORDS, pools.WORDS))}/{key}"


def _sku(number: int, _key: str) -> str:
    letters = "".join(chr(65 + (number >> shift) % 26) for shift in (0, 8, 16))
    return f"{letters}-{(number >> 24) % 9_000 + 1_000}"


def _uuid(number: int, _key: str) -> str:
    digits = f"{number:016x}{(number * 0x9E3779B97F4A7C15 + 1) % 2**64:016x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:32]}"


def _token(number: int, _key: str) -> str:
    return f"{number:016x}"


def _iban(number: int, _key: str) -> str:
    return f"DE{number % 90 + 10}{number // 90 % 10**18:018d}"


def _words(count: int, *, sentence: bool = False) -> Filler:
    def fill(number: int, _key: str) -> str:
        chosen = []
        for _ in range(count):
            number, word = divmod(number, len(pools.WORDS))
            chosen.append(pools.WORDS[word])
        text = " ".join(chosen)
        return f"{text[0].upper()}{text[1:]}." if sentence else text

    return fill


def whole(low: int, high: int) -> Filler:
    """Fills with whole numbers from `low` to `high`, both included."""
    size = high - low + 1
    return lambda number, _key: low + number % size


COARSE = 100
"""A range of fewer rounded values than this is filled without rounding."""


def real(low: float, high: float, digits: int = 2, *, above: bool = False, below: bool = False) -> Filler:
    """Fills with numbers from `low` to `high`, rounded where the range is wide enough for it.

    `above` and `below` say that these two are none of them.
    """
    step = 0.0 if (high - low) * 10**digits < COARSE else 10.0**-digits
    low = _beside(low, step, math.inf) if above else low
    high = _beside(high, -step, -math.inf) if below else high
    width = high - low
    if not step:
        return lambda number, _key: low + width * (number >> 11) / 2**53

    def fill(number: int, _key: str) -> float:
        value = round(low + width * (number >> 11) / 2**53, digits)
        return low if value < low else min(value, high)

    return fill


def _beside(bound: float, step: float, toward: float) -> float:
    """The number that is a step from `bound`, or the very next one where that is further or there is no step."""
    following = math.nextafter(bound, toward)
    return max(round(bound + step, 9), following, key=lambda number: abs(number - bound)) if step else following


def exact(low: Decimal, high: Decimal, *, above: bool = False, below: bool = False) -> Filler:
    """Fills with decimals from `low` to `high`, to the cent or to the finest digit that the bounds have.

    `above` and `below` say that these two are none of them.
    """
    finest = min(-2, *(int(bound.as_tuple().exponent) for bound in (low, high)))
    if high - low < Decimal(above + below).scaleb(finest):
        finest -= 1  # nothing is left between them at this digit
    unit = Decimal(1).scaleb(finest)
    first, last = (int((bound / unit).to_integral_value()) for bound in (low, high))
    first, last = first + above, last - below
    return lambda number, _key: (first + number % (last - first + 1)) * unit


_TEXTS: dict[str, Filler] = {
    "address": _address,
    "city": pick(pools.CITIES),
    "color": pick(pools.COLOURS),
    "company": _company,
    "country": pick(pools.COUNTRIES),
    "country_code": pick(pools.COUNTRY_CODES),
    "currency": pick(pools.CURRENCIES),
    "email": _email,
    "first_name": pick(pools.FIRST),
    "iban": _iban,
    "job": pick(pools.JOBS),
    "language": pick(pools.LANGUAGES),
    "last_name": _last_name,
    "name": _name,
    "phone": _phone,
    "postcode": _postcode,
    "product": _product,
    "sentence": _words(6, sentence=True),
    "sku": _sku,
    "street": _street,
    "title": _words(3),
    "token": _token,
    "url": _url,
    "username": _username,
    "uuid": _uuid,
    "word": pick(pools.WORDS),
}
_NUMBERS: dict[str, tuple[int, int]] = {
    "age": (18, 90),
    "minor_units": (500, 50_000),
    "percent": (0, 100),
    "price": (5, 500),
    "quantity": (1, 10),
    "rating": (1, 5),
    "year": (1990, 2025),
}

HINTS: Final[Mapping[str, Mapping[str, Filler]]] = {
    "str": _TEXTS,
    "int": {name: whole(low, high) for name, (low, high) in _NUMBERS.items()},
    "float": {name: real(low, high) for name, (low, high) in _NUMBERS.items()},
    "decimal": {name: exact(Decimal(low), Decimal(high)) for name, (low, high) in _NUMBERS.items()},
}
"""What a hint such as `str(email)` fills with, by type."""

_MEANINGS = {
    "str": {
        "email": "email mail",
        "phone": "phone telephone mobile fax",
        "username": "username login handle nickname",
        "postcode": "zip postcode postal zipcode",
        "country_code": "country_code",
        "city": "city town",
        "country": "country nation",
        "street": "street",
        "address": "address",
        "currency": "currency",
        "language": "language locale",
        "company": "company organization organisation employer vendor supplier merchant",
        "url": "url website link homepage href",
        "sku": "sku",
        "iban": "iban",
        "uuid": "uuid guid",
        "token": "token secret hash key",
        "color": "color colour",
        "job": "job occupation profession",
        "first_name": "first_name firstname given_name forename",
        "last_name": "last_name lastname surname family_name",
        "title": "title subject headline label",
        "sentence": "description note notes reason comment message text body summary bio remark",
        "product": "product",
        "name": "name fullname customer person author owner assignee recipient sender",
    },
    "number": {
        "price": "price amount total balance cost fee subtotal fare salary tax refund discount limit",
        "quantity": "quantity qty count stock items units seats",
        "age": "age",
        "rating": "rating stars score",
        "percent": "percent percentage rate",
        "year": "year",
        "minor_units": "cents minor pence",
    },
}
_THINGS_RECORDS = frozenset("product item article good part variant sku material listing".split())
_COMPANY_RECORDS = frozenset("company organization organisation merchant vendor supplier brand shop store".split())


def meaning(kind: str, record: str, name: str) -> str | None:
    """The hint that the field `name` of `record` suggests for a type (`str`, `int`, `float`, `decimal`), or None."""
    lowered = name.lower()
    words = lowered.split("_")
    for hint, names in _MEANINGS["str" if kind == "str" else "number"].items():
        for known in names.split():
            if lowered == known or known in words or ("_" in known and known in lowered):
                return _named_after(record, words) if hint == "name" else hint
    return None


def _named_after(record: str, words: list[str]) -> str:
    """Whose name: that of a product, a company or a person."""
    about = {*record.lower().split("_"), *words}
    if about & _THINGS_RECORDS:
        return "product"
    return "company" if about & _COMPANY_RECORDS else "name"


PERSONAL = frozenset({"name", "first_name", "last_name", "email", "username"})
"""Hints whose cells belong together where their fields are about one person."""
_OF_PERSONS = frozenset(
    "name fullname full first firstname given forename last lastname surname family email mail address username login "
    "handle nickname user".split()
)
_MADE_OF_NAMES: Mapping[str, Callable[[str, str, str], str]] = {"email": _email_of, "username": _username_of}


def person(name: str) -> str:
    """Whom a field is about: `customer` for `customer_name` and `customer_email`, nobody in particular for `email`."""
    return "_".join(word for word in name.lower().split("_") if word not in _OF_PERSONS)


def made_of(hint: str | None, name: Any, key: str) -> str | None:
    """What a person called `name` has as `hint`: an address for e-mail. None where no name makes one."""
    make = _MADE_OF_NAMES.get(hint or "")
    words = [_letters(word) for word in name.split()] if isinstance(name, str) and make else []
    words = [word for word in words if word]
    return make(words[0], words[-1], key) if make and words else None


def _letters(word: str) -> str:
    """`Asa` for `Åsa`: what an address may hold."""
    return "".join(letter for letter in normalize("NFKD", word) if letter.isascii() and letter.isalnum())
