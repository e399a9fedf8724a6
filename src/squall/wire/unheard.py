"""A coroutine whose async generators its loop does not hear of. Knows nothing of what it does.

`loop.shutdown_asyncgens()` ends every generator that a loop has heard of, wherever it is. Agents call it after each of
their runs, in a loop that goes on (OpenAI's `Runner.run_sync`): what serves in the background has to outlive that.
"""

from __future__ import annotations

import sys
from collections.abc import Coroutine, Generator
from types import coroutine
from typing import Any


@coroutine
def unheard(inner: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """What the coroutine comes to."""
    answer, error = None, None
    while True:
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(None, None)
        try:
            step = inner.send(answer) if error is None else inner.throw(error)
        except StopIteration as end:
            return end.value
        finally:
            sys.set_asyncgen_hooks(*hooks)
        answer, error = None, None
        try:
            answer = yield step
        except BaseException as caught:  # noqa: BLE001 - whatever it is, it is for the coroutine
            error = caught
