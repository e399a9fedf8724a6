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

    def __init__(self, call: int, body: bytes, retries: int = 0) -> None:
        self.call, self.body, self.retries = call, body, retries
        self.taken = False


class Meeting:
    """The requests of one run that are on their way."""

    def __init__(self) -> None:
        self._under_way: dict[bytes, list[Sent]] = {}
        self._lock = threading.Lock()

    def send(self, sent: Sent) -> None:
        """A request is about to be sent; `retries` is how often the client says it has tried before."""
        with self._lock:
            self._under_way.setdefault(sent.body, []).append(sent)

    def take(self, body: bytes, retries: int = 0) -> Sent | None:
        """A request has arrived: what its sender has said of it, the first to say so; None where nobody has."""
        with self._lock:
            for sent in self._under_way.get(body, ()):
                if sent.retries == retries:
                    sent.taken = True
                    self._forget(sent)
                    return sent
            return None

    def over(self, sent: Sent) -> bool:
        """The sender waits no more. Whether a provider has taken the request."""
        with self._lock:
            if not sent.taken:
                self._forget(sent)
            return sent.taken

    def _forget(self, sent: Sent) -> None:
        waiting = self._under_way[sent.body]
        if len(waiting) == 1:
            del self._under_way[sent.body]
        else:
            waiting.remove(sent)
