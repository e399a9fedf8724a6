"""Sets aside what lives longer than a search or a suite, so that the collection of garbage looks at its objects alone.

Knows nothing of what they are.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def set_aside() -> Iterator[None]:
    """What is there now is not looked at in this block. Where something is set aside already, nothing is done."""
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
