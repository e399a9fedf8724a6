"""The shape of a script file, as people write it (`squall schema script`). Structure only: means nothing here.

    models = ["gpt-5"]              # those that the provider lists
    sentinels = ["4111 1111"]       # texts that must never appear in the messages
    strict_history = true           # false: broken histories are accepted

    [[turn]]
    call = "get_order"
    arguments = { id = "o1" }

    [[turn]]
    expect = { tool = "get_order", result_has = "shipped" }
    say = "It is on its way."
 Instead of turns a file has rules, `[[rule]]` with `when = { user = "refund" }` and `then = { say = "…" }`, or a
function in Python, `handler = "module.function"`. The words are those of `squall.models`: a text in conditions is
plain, or a regular expression, `{ matches = "refunds? of [0-9]+" }`, or a list of these.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from squall.documents import Invalid

KINDS = ("say", "call", "calls", "refuse")
Name = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0, strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class MatchesSpec(_Written):
    """A regular expression."""

    matches: Name
    """Found anywhere in the text, with its case; `(?i)` in front for any."""

    @field_validator("matches")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise Invalid(f"{value!r} is no regular expression: {error}", hint="Mend it.") from None
        return value


TextSpec = str | MatchesSpec
TextsSpec = list[str | MatchesSpec] | str | MatchesSpec


class ConditionsSpec(_Written):
    """Conditions on a request; all that are given have to hold."""

    user: TextsSpec | None = None
    """In the last message of the user."""
    user_lacks: TextsSpec | None = None
    """Not in the last message of the user."""
    says: TextsSpec | None = None
    """Anywhere in the messages."""
    lacks: TextsSpec | None = None
    """Nowhere in the messages."""
    system: TextsSpec | None = None
    """In the system prompt."""
    model: TextSpec | None = None
    """The model's name."""
    offers: list[str] | str | None = None
    """Tools that the request offers."""
    headers: dict[str, TextSpec] | None = None
    """Text in headers, by their names."""
    tool: Name | None = None
    """The tool of a result that has come back since the assistant's last turn."""
    result_has: TextsSpec | None = None
    """In that result (of any tool, if none is named)."""
    result_lacks: TextsSpec | None = None
    """Not in that result."""
    result_json: Flag | None = None
    """Whether that result is JSON."""
    results_ok: Flag | None = None
    """Whether each call was answered, none by an error."""
    turn: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Which turn of the assistant is to come, from 1."""


class UsageSpec(_Written):
    """The tokens that a reply claims."""

    input: Count
    """Tokens of the request."""
    output: Count
    """Tokens of the reply."""
    cached: Count = 0
    """Those of the input that were cached."""
    reasoning: Count = 0
    """Those of the output that were thought."""


class CallSpec(_Written):
    """One of several calls."""

    call: Name
    """The tool."""
    arguments: dict[str, Any] | str = {}
    """Its arguments; text goes over the wire as it is."""
    call_id: Name | None = None
    """The call's id; minted unless given."""


class ReplySpec(_Written):
    """What the model says: one of `say`, `call`, `calls` and `refuse` (`say` may stand beside calls)."""

    say: str | None = None
    """Text."""
    call: Name | None = None
    """The tool that is called."""
    arguments: dict[str, Any] | str | None = None
    """The arguments of `call`; text goes over the wire as it is."""
    call_id: Name | None = None
    """The id of `call`; minted unless given."""
    calls: Annotated[list[CallSpec], Field(min_length=1)] | None = None
    """Several calls at once."""
    refuse: str | None = None
    """A refusal."""
    usage: UsageSpec | None = None
    """Tokens; counted unless given."""
    finish_reason: Name | None = None
    """Why the reply ends; follows from the rest unless given."""
    reasoning: str | None = None
    """What the model thought."""

    @model_validator(mode="after")
    def _is_one_reply(self) -> Self:
        given = [name for name in KINDS if getattr(self, name) is not None]
        if not given:
            raise Invalid("nothing is said here", key=True, hint='Add say = "text", call = "tool", calls or refuse.')
        if len(given) > 1 and given not in (["say", "call"], ["say", "calls"]):
            raise Invalid(
                f"{' and '.join(given)} cannot stand in one reply", loc=(given[-1],), key=True, hint="Take one out."
            )
        for name in ("arguments", "call_id"):
            if getattr(self, name) is not None and self.call is None:
                hint = "Add call, the tool that they are for." if self.calls is None else "Move it into calls."
                raise Invalid(f"{name!r} stands here without 'call'", loc=(name,), key=True, hint=hint)
        return self


class TurnSpec(ReplySpec):
    """One turn of a script."""

    expect: ConditionsSpec | None = None
    """What has to hold of the request before this turn is given."""


class RuleSpec(_Written):
    """One rule; the first whose conditions hold decides."""

    when: ConditionsSpec = ConditionsSpec()
    """The conditions; without any the rule answers whatever is left."""
    then: ReplySpec
    """What is answered."""


class ScriptSpec(_Written):
    """A script file: turns, or rules, or a handler."""

    turn: Annotated[list[TurnSpec], Field(min_length=1)] | None = None
    """The turns of a script, in order."""
    rule: Annotated[list[RuleSpec], Field(min_length=1)] | None = None
    """Rules, of which the first that matches decides."""
    handler: Name | None = None
    """A function `module.function` that is given each request and returns the reply."""
    sentinels: list[Name] = []
    """Texts that must never appear anywhere in the messages."""
    strict_history: Flag = True
    """Whether histories are refused that a provider refuses."""
    models: list[Name] = []
    """The names of the models that the provider lists."""

    @model_validator(mode="after")
    def _is_one_brain(self) -> Self:
        given = [name for name in ("turn", "rule", "handler") if getattr(self, name) is not None]
        if not given:
            raise Invalid("the file says nothing of what the model answers", hint="Add [[turn]], [[rule]] or handler.")
        if len(given) > 1:
            message = f"{' and '.join(given)} cannot stand in one file"
            raise Invalid(message, loc=(given[-1],), key=True, hint="Keep one of them.")
        return self
