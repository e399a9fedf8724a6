"""What is masked, what looks alike and is left, and that no text takes longer than it is long."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.checks.redact import ISSUERS, redact, redacted, redactor

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLWhlcmU"
KEYS = [
    "sk-abcdefghijklmnopqrstuvwx",
    "sk-proj-Ab3_x-9fGh2kLmN0pQrStUv",
    "sk-ant-api03-abcDEF123456-7890",
    "sk-or-v1-0123456789abcdef0123",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "rk_test_4eC39HqLyjWD",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrst",
    "glpat-abcdef_ghijk-lmnopq",
    "xox" + "b-123456789012-abcdefABCDEF",  # in two, since hosts of code refuse what looks like one
    "AIza" + "SyA-1234567890abcdefghijklmnopqrstu",
    "hf_abcdefghijklmnopqrstuv",
    "gsk_abcdefghijklmnopqrstuv",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "xai-abcdefghijklmnopqrstuvwx",
    "lsv2_pt_0123456789abcdef0123_ab",
    "SG.abcdefghijklmnopqrst.uvwxyzabcdefghijklmn",
]
CARDS = [
    "4111111111111111",
    "4111 1111 1111 1111",
    "4242-4242-4242-4242",
    "5555555555554444",
    "2223003122003222",
    "378282246310005",
    "3782 822463 10005",
    "6011111111111117",
    "3530111333300000",
    "30569309025904",
    "3056 930902 5904",
    "4222222222222",
    "6200000000000005",
    "4000\u00a00000\u00a00000\u00a00002",
]
EMAILS = ["ann@example.com", "ann.b+tag@mail.example.co.uk", "jürgen@bücher.de", "a@163.com", "x_y%z@a-b.org"]
SECRETS = [JWT, *KEYS, *CARDS, *EMAILS]
MASK = r"[masked "


@pytest.mark.parametrize(
    ("kind", "secret"),
    [*(("JWT", s) for s in [JWT, "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."])]
    + [("key", s) for s in KEYS]
    + [("card", s) for s in CARDS]
    + [("email", s) for s in EMAILS],
)
def test_a_secret_is_masked_and_what_stands_around_it_stays(kind, secret):
    for before, after in [("", ""), ("use '", "' now"), ("(", ")"), ('{"a": "', '"}'), ("x=", ", y"), ("a\n", "\nb")]:
        assert redact(f"{before}{secret}{after}") == f"{before}[masked {kind}]{after}"


@pytest.mark.parametrize("secret", SECRETS)
def test_an_escape_right_before_it_does_not_save_a_secret(secret):
    assert secret not in redact(repr(f"line\n{secret}\nline"))
    assert secret not in redact(repr(f"line\t{secret}\tline"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc123def456", "Authorization: Bearer [masked token]"),
        ("bearer abcdefghijklmnopqrst.", "bearer [masked token]."),
        ("BEARER  aB3-x_y~z/w+v==", "BEARER  [masked token]"),
        (f"Bearer {JWT}", "Bearer [masked JWT]"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic [masked token]"),
        ('{"authorization": "token 0123456789abcdef"}', '{"authorization": "token [masked token]"}'),
        (r"{\"Authorization\": \"Bearer abc123def\"}", r"{\"Authorization\": \"Bearer [masked token]\"}"),
    ],
)
def test_a_bearers_token_is_masked_after_its_word(text, shown):
    assert redact(text) == shown


def test_the_end_of_a_value_that_was_cut_is_masked_with_it():
    assert redact("key 'sk-abcdef0123456789 … 9876zyxw', x") == "key '[masked key]', x"
    assert redact(f"'{JWT[:25]} … {JWT[-9:]}'") == "'[masked JWT]'"
    assert redact("bearer abcdefgh … ijklmnop") == "bearer [masked token]"


def test_what_follows_a_card_stays():
    assert redact("4111 1111 1111 1111 123") == "[masked card] 123"
    assert redact("4111 1111 1111 1111 2027") == "[masked card] 2027"
    assert redact("qty 1 4111 1111 1111 1111, 12/27") == "qty 1 [masked card], 12/27"


LOOK_ALIKES = [
    "order 4111111111111112",  # its check digit is wrong
    "order 9999999999999995",  # no issuer has it
    "order 1234567812345670",
    "ISBN 9783161484100",
    "ISBN 978-3-16-148410-0",
    "1748736000000",
    "2025-06-01 12:00:00 2025-06-02",
    "0.4111111111111111",
    "123e4567-e89b-12d3-a456-426614174000",
    "41111111-1111-1111-1111-111111111111",
    "a4242424-4242-4242-4242-424242424242",
    "0004242424242424242",
    "00004242424242424242424242",
    "ord_4111111111111111",
    "4111-1111-1111-1111-abcd",
    "+49 170 1234567",
    "task-list-of-something-long",
    "risk-assessment-for-quarter-three",
    "sk-learn-classification-models",
    "disk-0123456789abcdef0123",
    "bearer of bad news",
    "Bearer authentication is needed",
    "bearer certificates.",
    "authorization: token required",
    "a basic understanding1",
    "AKIAIOSFODNN7EXAMPLEX",
    "eyJ",
    "eyJhbGciOiJIUzI1NiJ9",
    "@squall.tool",
    "user@localhost",
    "openai@3.57.0",
    "pkg@1.0.0-beta.rc",
    "icon@2x.png",
    "git@github.com:org/repo.git",
    "a @ b.com",
    "ghp_short",
    "https://example.com/?page=4111",
    "",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_is_left(text):
    assert redact(text) == text


def test_off_masks_nothing():
    assert redactor("off")("ann@example.com") == "ann@example.com"
    assert redactor("builtin")("ann@example.com") == "[masked email]"


def test_every_text_in_a_value_is_masked():
    value = {"ann@example.com": ["Bearer abc123def456", {"n": 4111111111111111, "m": 7, "t": True}], "x": (1.5, None)}
    assert redacted(value) == {
        "[masked email]": ["Bearer [masked token]", {"n": "[masked card]", "m": 7, "t": True}],
        "x": [1.5, None],
    }
    assert redacted(10**5000) == 10**5000
    assert redacted(value, redactor("off"))["ann@example.com"][1]["n"] == 4111111111111111


def with_check_digit(digits):
    doubled = [sum(divmod(int(d) * 2, 10)) for d in digits[::-1][::2]]
    plain = [int(d) for d in digits[::-1][1::2]]
    return digits + str(-(sum(doubled) + sum(plain)) % 10)


@st.composite
def cards(draw):
    first, last, lengths = draw(st.sampled_from(ISSUERS))
    prefix = str(draw(st.integers(first, last)))
    rest = draw(st.sampled_from(sorted(lengths))) - 1 - len(prefix)
    return with_check_digit(prefix + draw(st.text("0123456789", min_size=rest, max_size=rest)))


@given(cards())
def test_every_card_number_is_masked_and_none_whose_check_digit_is_wrong(card):
    assert redact(f"pay with {card}.") == "pay with [masked card]."
    wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
    assert redact(f"order {wrong}.") == f"order {wrong}."


around = st.text(string.ascii_letters + " ,:'\"(){}\n", max_size=20)


@given(around, st.sampled_from(SECRETS), around)
def test_wherever_it_stands_a_secret_is_masked(before, secret, after):
    assert secret not in redact(f"{before} {secret} {after}")


@given(st.lists(st.sampled_from([*SECRETS, *LOOK_ALIKES, "Bearer ", " … ", "-", "@", ".", "\\n", "[", "]"]) | around))
def test_masking_again_changes_nothing(parts):
    once = redact("".join(parts))
    assert redact(once) == once


@given(st.text("abcdefghijkl mnop.,!?", max_size=200))
def test_plain_words_are_left(text):
    assert redact(text) == text


LONG = 200_000  # quadratic time would be hours
HOSTILE = [
    "a",
    "a.",
    "a@",
    "a@b.",
    "a@a.a-",
    "@",
    "a%",
    "git@a.",
    "a@1.",
    "4",
    "4-",
    "4 ",
    "4111 ",
    "4111-",
    "4111111111111111",
    "a1234567-1234-",
    "eyJ",
    "eyJaaaaa",
    "eyJaaaaa-",
    "eyJaaaaa.",
    "eyJaaaaa.x.",
    "eyJaaaaa … ",
    "-eyJ",
    "\\neyJaaaaa",
    "sk-",
    "sk-a",
    "-sk-aaaaaaaaaaaaaaaa",
    "SG.",
    "SG.aaaaaaaaaaaaaaaa.",
    "glpat-",
    "github_pat_",
    "bearer ",
    "bearer\n",
    "bearer a.",
    "authorization",
    "authorization: ",
    "authorization=token ",
    "\\n",
    " … ",
    "é@é.",
    "xn--a@xn--",
]


@pytest.mark.parametrize("part", HOSTILE)
def test_hostile_text_is_masked_in_its_length(part):
    redact(f"x@{part * (LONG // len(part))}!")


def test_a_megabyte_of_everything_is_masked_in_its_length():
    assert len(redact("".join(part * (1_000_000 // len(HOSTILE) // len(part)) for part in HOSTILE))) > 0
