"""What generated cells look like: names, e-mail addresses, cities, prices, picked from small pools.

A filler turns one keyed 64-bit number and the row's id into a value, so a cell depends on nothing but its key.
Knows no seed, no type and no table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

Filler = Callable[[int, str], Any]
"""Takes the cell's number and the row's id."""

_FIRST = (
    "Ada Amir Ana Arne Aya Bela Bruno Cara Chen Clara Dara Diego Edda Elif Emil Esra Femi Finn Freya Gita Goran Hana "
    "Hugo Ida Ines Ivan Jana Jonas Juno Kai Kira Lars Leila Lina Luca Maja Malik Mara Mei Milo Nadia Nils Noor Olga "
    "Omar Petra Priya Rafa Rosa Ruben Samir Sara Sven Tara Theo Uma Vera Wanda Yara Yusuf Zoe Zora"
).split()
_LAST = (
    "Abreu Acker Adler Baran Becker Berg Castro Costa Dahl Demir Engel Faber Farah Fuchs Garcia Gruber Haas Hansen "
    "Hirsch Ibarra Ito Jansen Jensen Kaya Keller Khan Koch Kowalski Lang Larsen Lindt Lopez Maier Mendes Moreau Nagy "
    "Novak Okafor Olsen Ortiz Park Patel Peters Quist Ramos Richter Rossi Sato Schmid Silva Singh Stone Tanaka Torres "
    "Ulrich Vargas Vogel Weber Winter Wolf Yilmaz Young Zeller Ziegler"
).split()
_CITIES = (
    "Aarhus Antwerp Athens Austin Bergen Bilbao Bogota Boston Bristol Cairo Calgary Cork Denver Dublin Durban Ghent "
    "Graz Hamburg Helsinki Izmir Kyoto Lagos Leeds Lima Lisbon Lyon Malmo Milan Montreal Nairobi Nantes Osaka Oslo "
    "Perth Porto Prague Quito Riga Seattle Sofia Tampere Turin Utrecht Valencia Vienna Warsaw Zagreb Zurich"
).split()
_COUNTRIES = (
    "Austria Belgium Brazil Canada Chile Croatia Denmark Egypt Finland France Germany Ghana Greece India Ireland Italy "
    "Japan Kenya Latvia Mexico Norway Peru Poland Portugal Spain Sweden Turkey Uruguay"
).split()
_COUNTRY_CODES = "AT BE BR CA CH CL DE DK ES FI FR GB GR HR IE IN IT JP KE LV MX NL NO PE PL PT SE TR US UY".split()
_CURRENCIES = "USD EUR GBP JPY CHF CAD AUD SEK NOK DKK PLN BRL MXN INR".split()
_LANGUAGES = "en de fr es it pt nl sv da fi pl tr ja hi".split()
_STREETS = "Ash Birch Bridge Canal Cedar Church Elm Garden Harbour High Hill Lake Linden Market Mill Oak Park".split()
_STREET_ENDS = "Street Road Lane Avenue Square".split()
_COLOURS = "amber black blue bronze coral green grey indigo ivory lilac olive orange pink red silver teal white".split()
_THINGS = (
    "backpack blanket bottle chair clock cup desk jacket kettle lamp mirror mug notebook pen shelf sofa vase".split()
)
_TRADES = (
    "Analytics Coffee Design Energy Foods Freight Labs Logistics Media Motors Optics Software Tools Travel".split()
)
_JOBS = "accountant analyst architect baker carpenter doctor editor engineer florist nurse pilot teacher".split()
_WORDS = (
    "above account after again along answer before better between bright carry change clear close common corner early "
    "evening every field final first follow garden gentle grant ground happy harbour inside later letter light little "
    "longer market matter middle minute morning narrow never number office often open order other paper people plain "
    "point public quick quiet reach ready record river second short silver simple small south spring stone story "
    "summer table today travel under until useful valley visit water weather window winter without yellow"
).split()


def pick(pool: list[str]) -> Filler:
    """Fills with one of `pool`."""
    size = len(pool)
    return lambda number, _key: pool[number % size]


def _pair(number: int, left: list[str], right: list[str]) -> tuple[str, str]:
    rest, first = divmod(number, len(left))
    return left[first], right[rest % len(right)]


def _name(number: int, _key: str) -> str:
    return " ".join(_pair(number, _FIRST, _LAST))


def _email(number: int, key: str) -> str:
    first, last = _pair(number, _FIRST, _LAST)
    return f"{first}.{last}{key}@example.com".lower()  # the id keeps addresses of one table apart


def _username(number: int, key: str) -> str:
    first, last = _pair(number, _FIRST, _LAST)
    return f"{first}{last[0]}{key}".lower()


def _phone(number: int, _key: str) -> str:
    return f"+1-555-{number % 900 + 100}-{number // 900 % 10_000:04d}"


def _street(number: int, _key: str) -> str:
    rest, house = divmod(number, 180)
    return f"{house + 1} {' '.join(_pair(rest, _STREETS, _STREET_ENDS))}"


def _address(number: int, _key: str) -> str:
    return f"{_street(number, _key)}, {_CITIES[(number >> 32) % len(_CITIES)]}"


def _postcode(number: int, _key: str) -> str:
    return f"{number % 90_000 + 10_000}"


def _product(number: int, _key: str) -> str:
    return " ".join(_pair(number, _COLOURS, _THINGS))


def _company(number: int, _key: str) -> str:
    return " ".join(_pair(number, _LAST, _TRADES))


def _url(number: int, key: str) -> str:
    return f"https://example.com/{'-'.join(_pair(number, _WORDS, _WORDS))}/{key}"


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
            number, word = divmod(number, len(_WORDS))
            chosen.append(_WORDS[word])
        text = " ".join(chosen)
        return f"{text[0].upper()}{text[1:]}." if sentence else text

    return fill


def whole(low: int, high: int) -> Filler:
    """Fills with whole numbers from `low` to `high`, both included."""
    size = high - low + 1
    return lambda number, _key: low + number % size


COARSE = 100
"""A range of fewer rounded values than this is filled without rounding."""


def real(low: float, high: float, digits: int = 2) -> Filler:
    """Fills with numbers from `low` to `high`, rounded where the range is wide enough for it."""
    width = high - low
    if width * 10**digits < COARSE:
        return lambda number, _key: low + width * (number >> 11) / 2**53

    def fill(number: int, _key: str) -> float:
        value = round(low + width * (number >> 11) / 2**53, digits)
        return low if value < low else min(value, high)

    return fill


def exact(low: Decimal, high: Decimal) -> Filler:
    """Fills with decimals from `low` to `high`, to the cent or to the finest digit that the bounds have."""
    finest = min(-2, *(int(bound.as_tuple().exponent) for bound in (low, high)))
    unit = Decimal(1).scaleb(finest)
    first, last = (int((bound / unit).to_integral_value()) for bound in (low, high))
    return lambda number, _key: (first + number % (last - first + 1)) * unit


_TEXTS: dict[str, Filler] = {
    "address": _address,
    "city": pick(_CITIES),
    "color": pick(_COLOURS),
    "company": _company,
    "country": pick(_COUNTRIES),
    "country_code": pick(_COUNTRY_CODES),
    "currency": pick(_CURRENCIES),
    "email": _email,
    "first_name": pick(_FIRST),
    "iban": _iban,
    "job": pick(_JOBS),
    "language": pick(_LANGUAGES),
    "last_name": pick(_LAST),
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
    "word": pick(_WORDS),
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
