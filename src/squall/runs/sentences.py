"""Words of the sentences on rules that did not fire: numbers, lengths of time, who was called. Knows no trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from squall.decide import Rule
from squall.errors import shown

UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def value(found: Any) -> str:
    """A value as JSON's readers know it."""
    return "null" if found is None else shown(found)


def subject(rule: Rule) -> str:
    """`payments.issue_refund was`; `the model 'mock-chat' was`."""
    if rule.models:
        named = " or ".join(map(repr, rule.models))
        return f"the model {named} was"
    return f"{rule.targets[0]} was" if len(rule.targets) == 1 else f"its {len(rule.targets)} operations were"


def never(rule: Rule, verb: str) -> str:
    """What the rule is about was never called."""
    if len(rule.targets) == 1 or rule.models:
        return f"{subject(rule)} never {verb}"
    return f"none of its {len(rule.targets)} operations was {verb}"


def first(rule: Rule) -> int:
    """The first matching call at which the rule fires."""
    return rule.every or rule.nth or 1


def times(number: int) -> str:
    """`once`, `3 times`."""
    return "once" if number == 1 else f"{number} times"


def length(seconds: float) -> str:
    """A length of time as plans write it, in its two largest units: `3d`, `1h30m`, `0.5s`."""
    return "".join(_parts(seconds)) or f"{seconds:.3g}s"


def _parts(seconds: float) -> Iterator[str]:
    left, said = int(seconds), 0
    for unit, size in UNITS:
        number, left = divmod(left, size)
        if number and said < 2:  # noqa: PLR2004 - the two largest
            yield f"{number}{unit}"
        said += bool(number) or bool(said)
