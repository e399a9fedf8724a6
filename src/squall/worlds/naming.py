"""How records are called: the plural of a name, and which short names lead to which record.

Knows names only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

VOWELS = "aeiou"


def plural(name: str) -> str:
    """`orders`, `addresses`, `boxes`, `categories`, `days`."""
    if name.endswith(("s", "x", "ch", "sh")):
        return f"{name}es"
    if name.endswith("y") and name[-2:-1] not in VOWELS and len(name) > 1:
        return f"{name[:-1]}ies"
    return f"{name}s"


def article(name: str) -> str:
    """`an order`, `a refund`."""
    return f"{'an' if name[:1].lower() in VOWELS else 'a'} {name}"


def short_names(qualified: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Every short name of the records `service.record`, with all that it may mean.

    A name means the records of that very name; only where there are none, those whose plural it is.
    """
    exact: dict[str, list[str]] = {}
    plurals: dict[str, list[str]] = {}
    for full in qualified:
        short = full.rpartition(".")[2]
        exact.setdefault(short, []).append(full)
        plurals.setdefault(plural(short), []).append(full)
    return {name: tuple(meant) for name, meant in (plurals | exact).items()}
