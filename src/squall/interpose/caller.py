"""What a wire can do for the caller of one call besides handing over the outcome; `Silent` can do nothing."""

from __future__ import annotations

from typing import Protocol

from squall.call import Form, Outcome


class Caller(Protocol):
    """The far end of one call."""

    @property
    def may_lose(self) -> tuple[Form, ...]:
        """What may end beside this call, by the outcome that says so: its session, the server with all sessions."""
        ...

    def told(self) -> bool:
        """Whether a caller who does not wait any more has said so to the server."""
        ...

    async def progress(self, count: int) -> None:
        """Give a sign of life, the `count`th (from 1)."""
        ...

    def answer(self, outcome: Outcome) -> None:
        """Send the reply although the caller has given up, if there is still a way."""
        ...


class Silent:
    """A caller in Python: nobody to talk to but who awaits the outcome."""

    may_lose: tuple[Form, ...] = ()

    def told(self) -> bool:
        """Giving up is all that it can do."""
        return False

    async def progress(self, count: int) -> None:
        """There is no way to say it."""

    def answer(self, outcome: Outcome) -> None:
        """There is nobody any more."""


SILENT = Silent()
