"""What the firing of a check means, by its own default and by what is said."""

from __future__ import annotations

import pytest

from squall.checks import Settings


@pytest.mark.parametrize(
    ("settings", "modes"),
    [
        (Settings(), ("fail", "warn", "off")),
        (Settings(mode="warn"), ("warn", "warn", "off")),
        (Settings(mode="off"), ("off", "off", "off")),
        (Settings(only=("a", "c")), ("fail", "off", "warn")),
        (Settings(only=("a", "b", "c"), named=("b", "c")), ("fail", "warn", "fail")),
        (Settings(only=("c",), named=("c",), mode="warn"), ("off", "off", "warn")),
        (Settings(skip=("a",)), ("off", "warn", "off")),
        (Settings(modes={"a": "off", "b": "fail", "c": "fail"}), ("off", "fail", "fail")),
        (Settings(modes={"c": "fail"}, mode="warn"), ("warn", "warn", "warn")),
        (Settings(only=("a",), skip=("a",)), ("off", "off", "off")),
        (Settings(only=("a",), modes={"a": "off"}), ("off", "off", "off")),
    ],
)
def test_what_a_check_means(settings, modes):
    assert (
        tuple(settings.mode_of(name, mode) for name, mode in zip("abc", ("fail", "warn", "off"), strict=True)) == modes
    )
