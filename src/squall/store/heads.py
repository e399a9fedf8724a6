"""Heads and seals that somebody kept elsewhere: the only thing that tells when a run was written anew in all its parts.

A head is the hash of a trace's last line, a seal that of a `run.json`, which names the head.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from squall.documents.nearby import near
from squall.errors import Position, Problem, UsageError, shown

ALONE = re.compile(r"[0-9a-f]{64}")
NAMED = re.compile(r"\b(?:head|seal) ([0-9a-f]{64})\b")
HINT = "Give 64 hexadecimal digits, or a file that holds what `squall verify` printed."


def read_heads(texts: Iterable[str]) -> dict[str, str]:
    """Each head and seal, with where it was given. A text is one of them, or the name of a file.

    A file holds lines of which each is one, or names some as `squall verify` does (`head …`, `seal …`).
    """
    found: dict[str, str] = {}
    for text in texts:
        if ALONE.fullmatch(text.strip().lower()):
            found.setdefault(text.strip().lower(), "--head")
        else:
            found |= {head: where for head, where in _in_file(text).items() if head not in found}
    return found


def _in_file(name: str) -> dict[str, str]:
    try:
        lines = Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        message = f"--head {shown(name)} is no head, and no file to read: {reason}"
        raise UsageError(Problem(message, nearest=near(name), hint=HINT)) from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        heads = [line.strip()] if ALONE.fullmatch(line.strip()) else NAMED.findall(line)
        for head in heads:
            found.setdefault(head, f"{name}:{number}")
    if not found:
        raise UsageError(Problem("there is no head and no seal in this file", Position(name), hint=HINT))
    return found
