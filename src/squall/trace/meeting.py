"""Where those who send requests to models and those who answer them, in one process, find that they mean the same ones.

Whoever sends says so with the bytes of the body, before it sends. A provider that is asked for just these bytes takes
what was said, and the number of the call with it. Equal requests that are under way at one time cannot be told apart,
and need not be. Knows no request beyond its bytes, and no wire.
"""

from __future__ import annotations

import threading


class Sent:
    """A request on its way. `call` is the number of its logical call; `taken`: a provider has it, and records it."""

    __slots__ = ("body", "call", "retries", "taken")

    def __init__(self, call: int, body: bytes, retries: int) -> None:
        self.call, self.body, self.retries = call, body, retries
        self.taken = False


class Meeting:
    """The requests of one run that are on their way."""

    def __init__(self) -> None:
        self._under_way: dict[tuple[bytes, int], list[Sent]] = {}
        self._lock = threading.Lock()

    def send(self, call: int, body: bytes, retries: int = 0) -> Sent:
        """A request is about to be sent; `retries` is how often the client says it has tried before."""
        sent = Sent(call, body, retries)
        with self._lock:
            self._under_way.setdefault((body, retries), []).append(sent)
        return sent

    def take(self, body: bytes, retries: int = 0) -> Sent | None:
        """A request has arrived: what its sender has said of it, the first to say so; None where nobody has."""
        with self._lock:
            waiting = self._under_way.get((body, retries))
            if not waiting:
                return None
            sent = waiting[0]
            sent.taken = True
            self._forget(sent)
            return sent

    def over(self, sent: Sent) -> bool:
        """The sender waits no more. Whether a provider has taken the request."""
        with self._lock:
            if not sent.taken:
                self._forget(sent)
            return sent.taken

    def _forget(self, sent: Sent) -> None:
        key = (sent.body, sent.retries)
        waiting = self._under_way[key]
        waiting.remove(sent)
        if not waiting:
            del self._under_way[key]
