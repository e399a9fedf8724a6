"""What a run's folder is called: names that are safe on any disk, and the digits of the hash that tell runs apart.

Scenarios' and strategies' names come from files and may hold anything; a folder's name keeps letters, digits, dots and
dashes of theirs. `run.json` holds them as they are. Knows no disk.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

DIGITS = (12, 24, 64)
"""Hexadecimal digits of the content hash in a folder's name; the next number where that name is another run's."""
LONGEST = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")


@lru_cache(maxsize=1024)  # a suite has few names and many runs
def slug(name: str) -> str:
    """`name` in at most 60 safe characters: accents go, and what else is unsafe becomes a dash."""
    apart = unicodedata.normalize("NFKD", name[: LONGEST * 4])
    letters = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return _UNSAFE.sub("-", letters).strip("-.")[:LONGEST].rstrip("-.") or "unnamed"


def folder_name(scenario: str, strategy: str, run_hash: str, digits: int = DIGITS[0]) -> str:
    """`timeout-baseline-0123456789ab`."""
    return f"{slug(scenario)}-{slug(strategy)}-{run_hash[:digits]}"


def folder_names(scenario: str, strategy: str, run_hash: str) -> list[str]:
    """The names that a run's folder may have, the usual one first."""
    return [folder_name(scenario, strategy, run_hash, digits) for digits in DIGITS]
