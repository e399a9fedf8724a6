r"""Masks personal data and secrets in what is shown of runs: e-mail addresses, card numbers, API keys, tokens, JWTs.

Of any text it takes time in its length: each pattern begins where the characters before cannot belong to it, so that no
stretch is gone over from many beginnings. What only looks like a secret is left as it is: a card number has an issuer,
that issuer's length and a right check digit; a key has its maker's prefix; `bearer of bad news` carries no token.

A mask says what stood there, `[masked email]`, and masking again changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, get_args

Redaction = Literal["builtin", "off"]
REDACTIONS: tuple[str, ...] = get_args(Redaction)

BEGIN = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
"""Where a word may begin, also right after an escape of Python or JSON."""
CUT = r"(?: … [\w.~+/=-]*+)?"
"""The rest of a value that was cut in its middle to be shown."""
KEYS = (
    r"sk-[A-Za-z0-9_-]{16,}+",  # OpenAI, Anthropic and many after them
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}+",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{16,}+",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS
    r"gh[pousr]_[A-Za-z0-9]{20,}+",  # GitHub
    r"github_pat_[A-Za-z0-9_]{20,}+",
    r"glpat-[\w-]{16,}+",  # GitLab
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}+",  # Slack
    r"xapp-[A-Za-z0-9-]{10,}+",
    r"AIza[\w-]{35}(?![\w-])",  # Google
    r"ya29\.[\w-]{20,}+",
    r"hf_[A-Za-z0-9]{20,}+",  # Hugging Face
    r"(?:gsk|npm|r8)_[A-Za-z0-9]{20,}+",  # Groq, npm, Replicate
    r"(?:xai|pplx|tvly|nvapi|pypi)-[\w-]{20,}+",
    r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{20,}+",  # LangSmith
    r"SG\.[\w-]{16,}+\.[\w-]{16,}+",  # SendGrid
)

JWT = re.compile(
    BEGIN + r"(?<!-)eyJ[\w-]{5,}+(?:\.[\w-]{5,}+\.[\w-]*+(?:\.[\w-]++){0,2}|(?:\.[\w-]*+){0,2}(?= … ))" + CUT, re.ASCII
)
KEY = re.compile(f"{BEGIN}(?P<key>{'|'.join(KEYS)}){CUT}", re.ASCII)
BEARER = re.compile(
    BEGIN
    + r"(?P<before>(?:bearer|authorization[\\\"']{0,3}\s{0,9}[:=]\s{0,9}[\\\"']{0,3}(?:basic|token))\s{1,9})"
    + rf"(?P<token>[a-z0-9._~+/=-]{{8,}}+){CUT}",
    re.ASCII | re.IGNORECASE,
)
ADDRESS = (
    r"[\w.%+-]++@(?!\dx\.|\d+\.\d)"
    r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+(?:xn--[a-z0-9-]+|[^\W\d_]{2,})(?![\w@])"
)
EMAIL = re.compile(rf"(?<![\w.%+-])(?!git@[\w.-]++:){ADDRESS}(?:(?=[.%+-]){ADDRESS})*")
"""One address, and those that hang on it without a space."""
CARD = re.compile(
    r"(?P<uuid>(?<![0-9A-Fa-f-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f-]))|"
    + BEGIN
    + r"(?<![0-9]\.)(?:[0-9]{13,19}|[0-9]{4}(?P<gap>[ \u00a0-])(?:"
    + r"(?:[0-9]{4}(?P=gap)){2}[0-9]{1,4}(?P<tail>(?P=gap)[0-9]{1,3})?|[0-9]{6}(?P=gap)[0-9]{4,5}"
    + r"))(?![A-Za-z0-9_]|-[0-9A-Fa-f])"
)
WORDS = re.compile(r"(?:[A-Z]?[a-z]{0,15}|[A-Z]{1,15})(?:[-./=](?:[A-Z]?[a-z]{0,15}|[A-Z]{1,15}))*")
LONGEST_OF_SLUG = 15
LONGEST_WORD = 32
ISSUERS: tuple[tuple[int, int, frozenset[int]], ...] = (
    (4, 4, frozenset({13, 16, 19})),  # Visa
    (51, 55, frozenset({16})),  # Mastercard
    (2221, 2720, frozenset({16})),
    (34, 34, frozenset({15})),  # American Express
    (37, 37, frozenset({15})),
    (6011, 6011, frozenset({16, 19})),  # Discover
    (644, 659, frozenset({16, 19})),
    (3528, 3589, frozenset({16, 19})),  # JCB
    (300, 305, frozenset({14, 16})),  # Diners Club
    (36, 36, frozenset({14, 16, 19})),
    (38, 39, frozenset({14, 16})),
    (62, 62, frozenset({16, 17, 18, 19})),  # UnionPay
    (50, 50, frozenset({16, 19})),  # Maestro
    (56, 58, frozenset({16, 19})),
    (67, 67, frozenset({16, 19})),
)
"""First and last prefix of an issuer's numbers, and how many digits they have (ISO/IEC 7812)."""


def redact(text: str) -> str:
    """The text with everything masked that is personal or secret."""
    return _of_word(text) if len(text) <= LONGEST_WORD else _masked(text)


@lru_cache(maxsize=2048)
def _of_word(text: str) -> str:
    """Of names that reports are full of."""
    return _masked(text)


def _masked(text: str) -> str:
    if "eyJ" in text:
        text = JWT.sub("[masked JWT]", text)
    text = KEY.sub(_key, text)
    text = BEARER.sub(_token, text)
    if "@" in text:
        text = EMAIL.sub(lambda found: "[masked email]" * found[0].count("@"), text)
    return CARD.sub(_card, text)


def redactor(redaction: Redaction) -> Callable[[str], str]:
    """What masks texts as a setting says."""
    return redact if redaction == "builtin" else str


def redacted(value: Any, mask: Callable[[str], str] = redact) -> Any:
    """A value of JSON with all its texts masked, keys too; a number that is a card's becomes its mask."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {redacted(name, mask): redacted(each, mask) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(each, mask) for each in value]
    if isinstance(value, int) and not isinstance(value, bool):
        text = str(value) if value.bit_length() < BITS_OF_NUMBERS else ""
        return value if mask(text) == text else mask(text)
    return value


BITS_OF_NUMBERS = 64
"""Of the longest number of a card."""


def _key(found: re.Match[str]) -> str:
    """`sk-learn-some-models` is a slug of words: no part of it is long, and it has no digit."""
    key, cut = found["key"], found.end() > found.end("key")
    is_slug = key.startswith("sk-") and max(map(len, key.split("-"))) <= LONGEST_OF_SLUG
    if is_slug and not cut and not any(map(str.isdigit, key)):
        return found[0]
    return "[masked key]"


def _token(found: re.Match[str]) -> str:
    token = found["token"].rstrip(".")
    if found.end() == found.end("token") and WORDS.fullmatch(token):
        return found[0]
    after = "" if found.end() > found.end("token") else found["token"][len(token) :]
    return f"{found['before']}[masked token]{after}"


def _card(found: re.Match[str]) -> str:
    if found["uuid"] is not None:
        return found[0]
    if _is_card(found[0]):
        return "[masked card]"
    tail = found["tail"]
    return f"[masked card]{tail}" if tail and _is_card(found[0].removesuffix(tail)) else found[0]


def _is_card(text: str) -> bool:
    digits = "".join(each for each in text if each.isdigit())
    return _has_issuer(digits) and _checks(digits)


def _has_issuer(digits: str) -> bool:
    return any(
        len(digits) in lengths and first <= int(digits[: len(str(first))]) <= last for first, last, lengths in ISSUERS
    )


def _checks(digits: str) -> bool:
    """Luhn: every second digit from the right counts twice, its own digits summed; the sum ends in 0."""
    doubled = (sum(divmod(int(each) * 2, 10)) for each in digits[-2::-2])
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0
