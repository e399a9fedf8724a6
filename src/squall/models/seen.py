"""A request as conditions look at it: who said what, and which results came back. Each is worked out when asked for."""

from __future__ import annotations

from functools import cached_property

from squall.call import Message, ModelRequest, ToolUse
from squall.models.results import Result
from squall.models.words import Hay


class Seen:
    """Views of one request. `begun`: the message with which the assistant's last turn begins, where that is known.

    Unless it is, a turn ends where results begin, although parallel calls may have been written down one by one.
    """

    def __init__(self, request: ModelRequest, begun: int | None = None) -> None:
        self.request = request
        self._begun = begun

    @cached_property
    def user(self) -> Hay:
        """The last text of the user."""
        messages = reversed(self.request.messages)
        return Hay(next((each.text for each in messages if each.role == "user" and each.text), ""))

    @cached_property
    def system(self) -> Hay:
        """All system (and developer) messages."""
        return Hay("\n".join(each.text for each in self.request.messages if each.role == "system"))

    @cached_property
    def everything(self) -> Hay:
        """All texts of all messages, and the arguments of all calls."""
        return Hay("\n".join(written(each) for each in self.request.messages))

    @cached_property
    def turn(self) -> int:
        """Which turn of the assistant this is to be, counted from 1."""
        return 1 + sum(each.role == "assistant" for each in self.request.messages)

    @cached_property
    def _recent(self) -> tuple[Message, ...]:
        """What came since the assistant's last turn began."""
        messages = self.request.messages
        if self._begun is not None:
            return messages[self._begun + 1 :]
        start = next((n for n in range(len(messages), 0, -1) if messages[n - 1].role == "assistant"), 0)
        return messages[start:]

    @cached_property
    def calls(self) -> tuple[ToolUse, ...]:
        """The calls of the assistant's last turn, in one message or in several."""
        if self._begun is not None:
            return tuple(use for message in self.request.messages[self._begun :] for use in message.calls)
        found: tuple[ToolUse, ...] = ()
        for message in reversed(self.request.messages[: len(self.request.messages) - len(self._recent)]):
            if message.role != "assistant":
                break
            found = message.calls + found
        return found

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """The results that came since the assistant's last turn."""
        names: dict[str | None, str] = {}
        for message in self.request.messages:
            for use in message.calls:
                names[use.id] = use.name
        return tuple(
            Result(names.get(message.answers, ""), message) for message in self._recent if message.role == "tool"
        )


def written(message: Message) -> str:
    """A message's text and the arguments of its calls."""
    if not message.calls:
        return message.text
    return "\n".join([message.text, *(use.arguments for use in message.calls)])


def place(request: ModelRequest, number: int) -> str:
    """What a message is called: where it stands in the body, and whose it is."""
    message = request.messages[number]
    return f"{message.place or f'messages.{number}'} ({message.role})"
