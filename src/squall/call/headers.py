"""Which headers may hold what nobody should keep. Told by their names; knows no request."""

from __future__ import annotations

from functools import lru_cache

SECRET = ("auth", "key", "token", "secret", "cookie", "password", "credential")  # in the name of a header
OPEN = frozenset(("idempotency-key",))  # names that sound like it, and hold none


@lru_cache(maxsize=1024)
def holds_secret(name: str) -> bool:
    """Whether a header of that name, in lower case, may hold a secret: it is taken out before anybody sees it."""
    return name not in OPEN and any(word in name for word in SECRET)
