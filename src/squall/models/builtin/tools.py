"""Built-in models that call tools, and look at what comes back. Each tells where it is from the request alone."""

from __future__ import annotations

from squall.call import ModelRequest, Reply
from squall.models.brain import NoMatch
from squall.models.builtin.spoken import called, chosen, spoken
from squall.models.results import failed
from squall.models.seen import Seen

MOST_TRIES = 3


class CallsATool:
    """Calls the first tool that is offered, then says what came back."""

    def answer(self, request: ModelRequest) -> Reply:
        """A call, or the results since the last one. Raises NoMatch where no tool may be called."""
        results = Seen(request).results
        if results:
            return spoken("\n".join(each.message.text for each in results), request)
        return _call(request)

    def unused(self) -> list[str]:
        """Nothing."""
        return []


class RecoversATool:
    """Calls the first tool that is offered until its result is good: not empty, and telling of no failure."""

    def __init__(self, text: str) -> None:
        self.text = text

    def answer(self, request: ModelRequest) -> Reply:
        """A call, or the text. Raises NoMatch where no tool may be called, and after the third bad result."""
        results = Seen(request).results
        bad = [each for each in results if failed(each.message) or not each.message.text.strip()]
        if results and not bad:
            return spoken(self.text, request)
        if bad and _tries(request) >= MOST_TRIES:
            what = "tells of a failure" if bad[-1].message.text.strip() else "is empty"
            raise NoMatch(f"no result was good in {MOST_TRIES} calls", f"the last one, of {bad[-1].tool}, {what}")
        return _call(request)

    def unused(self) -> list[str]:
        """Nothing."""
        return []


def _call(request: ModelRequest) -> Reply:
    if not request.tools or request.tool_choice == "none":
        what = "offers none" if not request.tools else "forbids to"
        raise NoMatch(f"the model {request.model!r} calls a tool", f"the request {what}")
    return called(chosen(request))


def _tries(request: ModelRequest) -> int:
    """How often tools have been called since the user spoke last."""
    tries = 0
    for message in reversed(request.messages):
        if message.role == "user":
            break
        tries += bool(message.calls)
    return tries
