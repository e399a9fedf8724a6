"""Whether two writes are the same write: what they are about, and whether doing it twice is more than doing it once."""

from __future__ import annotations

from collections.abc import Mapping

from squall.checks.recovery import IDEMPOTENCY
from squall.checks.story import ToolStep
from squall.checks.story.content import as_text
from squall.checks.story.naming import NOUNS, WORD, WRITES
from squall.checks.story.sameness import VOLATILE

PROSE = frozenset(
    "reason note notes memo comment comments description message remark explanation justification".split()
)
"""Arguments that only say why, beside an amount."""
SETTLED = frozenset(
    "set update put upsert replace edit modify rename delete remove cancel close disable enable activate deactivate "
    "mark assign lock unlock archive reset resolve revoke subscribe unsubscribe suspend resume save write "
    "sync approve reject confirm complete".split()
)
"""Verbs that leave the same behind when they are done twice."""
AGAIN = frozenset(
    "append advance click decrement drag draw heartbeat increment log move next ping play press roll scroll skip spin "
    "step swipe tick track turn".split()
)
"""Verbs of what is done again for its own sake, each time: the next page, another click."""
UNDOES = frozenset("cancel delete remove undo revert void rollback reverse reset clear revoke".split())
VERBS = (WRITES - NOUNS) | SETTLED | AGAIN | UNDOES
PATIENCE = frozenset("timeout timeout_ms timeout_s timeout_seconds deadline retries max_retries retry attempt".split())
"""Arguments that say how long to try, and not what to do."""
KEYS = ("key", "token", "nonce")
"""What the name of an argument ends with that may be an idempotency key, where the tool has one."""


def write_key(step: ToolStep) -> tuple[str, str]:
    """What a write is the same by: its tool and arguments, less keys, times, patience, and words beside an amount."""
    arguments = step.arguments
    if not isinstance(arguments, Mapping):
        return step.tool, as_text(None)
    amount = any(isinstance(value, int | float) and not isinstance(value, bool) for value in arguments.values())
    kept = {
        str(name): value
        for name, value in arguments.items()
        if not _is_key(name, value, step)
        and str(name).lower() not in VOLATILE
        and str(name).lower() not in PATIENCE
        and not (amount and str(name).lower() in PROSE)
    }
    return step.tool, as_text(sorted((name, as_text(value)) for name, value in kept.items()))


def is_settled(tool: str) -> bool:
    """Whether a tool's name says that doing it again changes nothing more."""
    return _verb(tool) in SETTLED


def is_meant_again(tool: str) -> bool:
    """Whether a tool's name says that each time counts."""
    return _verb(tool) in AGAIN


def undoes(tool: str) -> bool:
    """Whether a tool's name says that it takes something back, so that doing it anew has a reason."""
    return _verb(tool) in UNDOES


def _is_key(name: object, value: object, step: ToolStep) -> bool:
    """Whether an argument is the call's idempotency key: by its name, or by what the tool says of it and its name."""
    plain = str(name).replace("_", "").replace("-", "").lower()
    return plain in IDEMPOTENCY or (step.key is not None and plain.endswith(KEYS) and as_text(value) == step.key)


def _verb(tool: str) -> str:
    """The verb of a name: its first word that is one and not a thing as well, or the first of all."""
    words = [word.lower() for word in WORD.findall(tool)]
    return next((word for word in words if word in VERBS), words[0] if words else "")
