"""What a run came to, in the words that checks use: turns of models, calls of tools, conversations.

Values only. Nothing here reads a trace, and nothing knows a provider: whatever the wire, the hook or the exported file
was, a story is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "tool_calls", "content_filter", "refusal", "pause"]
Failed = Literal["exception", "flag", "status", "field", "words", "default text"]
Schema = Mapping[str, Any]
UNUSABLE = frozenset(("length", "content_filter", "refusal"))
"""Why a reply stopped that no agent should take for an answer."""
NOT_JSON = msgspec.UNSET
"""What `Use.arguments` is where the model's text is no JSON. Compare with `is`."""


class Use(msgspec.Struct, frozen=True):
    """A call of a tool as a model asks for it: nothing says yet that it was made.

    `raw` is the text of the arguments as the model wrote it, `arguments` what it means (`NOT_JSON` where it is none; of
    tools that take free text the text itself, and `free` is true). Empty text means no arguments: `{}`.
    """

    id: str | None
    name: str
    raw: str
    arguments: Any
    free: bool = False


class Message(msgspec.Struct, frozen=True):
    """One message of a request, whatever the provider calls its parts.

    Parts of text are joined by newlines; pictures and thoughts are left out. `calls` are an assistant's. A message of
    the role `tool` is one result: `answers` is the id that it names, `name` the tool where it says that, `failed`
    whether it is marked as an error (None: the provider has no such mark), `value` its content as it came.
    """

    role: Role
    text: str
    calls: tuple[Use, ...] = ()
    answers: str | None = None
    failed: bool | None = None
    name: str | None = None
    value: Any = None


class Turn(msgspec.Struct, frozen=True):
    """One logical request to a model and what came of it. An SDK's own retries are `attempts` of one turn.

    `step` is its place in the run, `call` its number in the trace, `conversation` the number of the conversation that
    it belongs to. `t` is in virtual seconds. `new` is what the request says after the reply that it goes on from: of a
    conversation's first turn all messages, of a repeated request nothing.

    `offered` are the schemas of the arguments by the names of the tools that this request offers; a schema of None
    means that anything may be given. `offered` itself is None where nobody knows what was offered. `choice` is `auto`,
    `none`, `required`, or the tool that the request forces.

    `replied`: an answer or an error was recorded at all; where not, the run ended before. `ok`: a reply came and is not
    an error. `error` is the type or the text of what was raised or refused, `status` HTTP's. `finish` is neutral;
    None where the provider did not say. `complete`: the reply was written to its end (of a stream: with its terminal
    event). `disconnected`: the client left before that. `dropped`: the agent asked again and made no use of what was
    said. `text` has a refusal's words too. `tokens` are those spent.
    """

    step: int
    call: int
    conversation: int
    model: str
    t: float
    new: tuple[Message, ...]
    text: str
    uses: tuple[Use, ...]
    finish: Finish | str | None
    ok: bool
    replied: bool
    error: str | None
    status: int | None
    complete: bool
    streamed: bool
    disconnected: bool
    offered: Mapping[str, Schema | None] | None
    choice: str
    attempts: int
    max_tokens: int | None
    dropped: bool = False
    tokens: Mapping[str, int] = {}
    hosted: tuple[str, ...] = ()
    """Kinds of tools that the provider itself ran in this reply: `web_search_call`, `server_tool_use`, …"""

    @property
    def silent(self) -> bool:
        """Whether the model neither said nor called anything."""
        return not self.uses and not self.text.strip()


class ToolStep(msgspec.Struct, frozen=True):
    """One call of a tool. One that a hook and the messages both tell of is one step, and the hook's word counts.

    `turn` is the step of the turn that asked for it (None: the agent's own code did), `use` what that turn said.
    `hook`: seen where it happened, not only told to the model. `arguments` are those that it was called with;
    `NOT_JSON` where they are none.

    `answered`: a result is known. `result` is the value, JSON read where it is text that holds JSON; `text` is what the
    model was told, or the value as JSON. `failed` is what shows that it failed, strongest first (`exception` at the
    hook, `flag`, `status`, `field` of the result, `words` at its beginning, a framework's `default text`), None where
    nothing does: "order not found" as plain text is a result. `error` is the text of the failure. `empty`: it worked
    and found nothing.

    `mutates`: whether it changes something; None where nobody says. `key` is the idempotency key that the call carried.
    `effects` counts the committed changes of the world that it made.
    """

    step: int
    conversation: int
    tool: str
    t: float
    arguments: Any
    use: Use | None = None
    turn: int | None = None
    hook: bool = False
    answered: bool = False
    result: Any = None
    text: str = ""
    failed: Failed | None = None
    error: str | None = None
    status: int | None = None
    empty: bool = False
    mutates: bool | None = None
    key: str | None = None
    effects: int = 0
    call: int | None = None
    """Its number in the trace, where a hook saw it."""

    @property
    def succeeded(self) -> bool:
        """Whether it is known to have worked."""
        return self.answered and self.failed is None


class Conversation(msgspec.Struct, frozen=True):
    """Turns that go on from each other, and the calls of tools that belong to them.

    Independent conversations of one run are numbered from 1 in order of their beginning, and judged apart. `users` are
    the texts of the user, `system` is what the first request says as system. `final` is what its last turn said in
    words; None where that turn said nothing. `answer` is what the agent itself gave back (`agent_final`), known where
    a run has one conversation. `forks` is the number of the conversation whose beginning it shares. `again` is the
    number of the next one that asks the same after its end: another try, from the start or from a place on the way.
    """

    number: int
    turns: tuple[Turn, ...]
    tools: tuple[ToolStep, ...]
    users: tuple[str, ...]
    system: str
    final: str | None
    answer: str | None = None
    forks: int | None = None
    again: int | None = None

    @property
    def last(self) -> Turn | None:
        """The last turn, None where a conversation is calls of tools alone."""
        return self.turns[-1] if self.turns else None

    @property
    def given_up(self) -> bool:
        """Whether it came to no answer in words, or not to the end of one, and the agent began again."""
        last = self.last
        if self.again is None or last is None:
            return False
        return not last.ok or last.silent or bool(last.uses) or not last.complete or last.finish in UNUSABLE

    @property
    def steps(self) -> tuple[Turn | ToolStep, ...]:
        """Turns and calls of tools in order."""
        return tuple(sorted((*self.turns, *self.tools), key=_step_of))


class Raised(msgspec.Struct, frozen=True):
    """An error that left the agent, by type and text. `step` is the last step before it, 0 where there is none."""

    step: int
    error: str


class Story(msgspec.Struct, frozen=True):
    """A whole run. `steps` has its turns and calls of tools in order of time: `steps[n - 1].step == n`.

    `answer` is what the agent gave back at last, `errors` those that left it (type and text), also where the test
    expected them; `raised` are the same with their places. `status` is the run's (None while it goes on). `incomplete`
    says why capture is incomplete, and is empty where it is complete. `has_ledger`: a world tells which calls changed
    something.
    """

    run: str
    conversations: tuple[Conversation, ...]
    steps: tuple[Turn | ToolStep, ...]
    answer: str | None = None
    errors: tuple[str, ...] = ()
    status: str | None = None
    incomplete: tuple[str, ...] = ()
    has_ledger: bool = False
    raised: tuple[Raised, ...] = ()

    @property
    def capture_complete(self) -> bool:
        """Whether everything that was to be seen was seen."""
        return not self.incomplete

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns in order."""
        return tuple(step for step in self.steps if isinstance(step, Turn))

    @property
    def tools(self) -> tuple[ToolStep, ...]:
        """All calls of tools in order."""
        return tuple(step for step in self.steps if isinstance(step, ToolStep))


def _step_of(step: Turn | ToolStep) -> int:
    return step.step
