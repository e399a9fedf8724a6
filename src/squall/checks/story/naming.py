"""What the name of a tool tells: its words, and whether it sounds like a change. A guess, used only to hold back."""

from __future__ import annotations

import re
from functools import lru_cache

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
WRITES = frozenset(
    "accept activate add adjust append apply approve archive assign book buy cancel capture change charge "
    "checkout clear close commit complete confirm convert copy create credit deactivate debit delete deliver "
    "deny deploy disable drop edit email enable enqueue execute exchange file fill finalize grant import "
    "insert install issue join kill launch leave lock log mark merge modify move notify open order pay place "
    "post process provision publish purchase push put rebook refund register reject release remove rename "
    "reopen replace reply request reschedule reserve reset resolve restart restore resume return revert revoke "
    "rollback run save schedule send set settle ship sign start stop store submit subscribe suspend swap sync "
    "terminate toggle transfer trigger unlock unsubscribe update upload upsert void withdraw write".split()
)
"""Verbs that change something. As the first word of a name, or after the name of a service."""
READS = frozenset(
    "browse calculate check compare compute count describe detect estimate fetch find get grep inspect list load look "
    "lookup peek ping preview query read retrieve scan search show status summarize think translate validate verify "
    "view".split()
)
NOUNS = frozenset(
    "book change charge copy credit debit document exchange file issue lock log mark open order place post process "
    "purchase record refund release reply request return schedule set ship store transfer".split()
)
"""Verbs of `WRITES` that are things as well: `order_search` is no order."""


@lru_cache(1024)
def words_of(tool: str) -> frozenset[str]:
    """The words in a tool's name, in small letters."""
    return frozenset(_in_order(tool))


@lru_cache(1024)
def seems_to_write(tool: str) -> bool | None:
    """Whether a tool's name sounds like a change: the first verb decides. None where it has none."""
    words = _in_order(tool)
    reads = any(word in READS for word in words)
    for word in words:
        if word in READS:
            return False
        if word in WRITES and not (reads and word in NOUNS):
            return True
    return None


def _in_order(tool: str) -> list[str]:
    return [word.lower() for word in WORD.findall(tool)]
