"""Protocol-neutral values of one request to a model: what was asked, and what the model says.

A provider's wire turns its own bodies into these and back; brains and faults know nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Endpoint = Literal["chat", "responses", "messages", "embeddings"]
Role = Literal["system", "user", "assistant", "tool"]
Inputs = tuple[str | tuple[int, ...], ...]


class ToolUse(msgspec.Struct, frozen=True):
    """A call of a tool, as a model asks for it.

    `arguments` is JSON text as it goes over the wire; a fault may have cut it. `id` None: the wire mints one.
    """

    name: str
    arguments: str = "{}"
    id: str | None = None


class ToolOffer(msgspec.Struct, frozen=True):
    """A tool that a request offers; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str = ""
    schema: Mapping[str, Any] = {}
    strict: bool = False


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation. Its parts of text are joined by newlines; pictures and the like are left out.

    `system` is also what providers call developer. A message of the role `tool` is one result: `answers` is the id of
    its call, `failed` says that it is marked as an error. `calls` are those that an assistant asked for; `parts` counts
    all parts of its content, so that an empty one can be told from one that has no text. `place` is where it stands in
    the request's body, `messages.2` for example. `blank`: one of its parts of text has nothing in it.
    """

    role: Role
    text: str = ""
    calls: tuple[ToolUse, ...] = ()
    answers: str | None = None
    failed: bool = False
    parts: int = 1
    place: str = ""
    blank: bool = False


class ModelRequest(msgspec.Struct, frozen=True):
    """One request, read and found valid.

    `tool_choice` is `auto`, `none`, `required`, or the name of a tool. `schema` is the JSON Schema that the answer has
    to be an instance of, if one was given. `inputs` are those of embeddings: texts, or lists of tokens. `headers` have
    names in lower case, and none that holds a secret. `body` is the request as it came. `previous` is the conversation
    before, where the endpoint keeps it.
    """

    endpoint: Endpoint
    model: str
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolOffer, ...] = ()
    tool_choice: str = "auto"
    parallel: bool = True
    stream: bool = False
    include_usage: bool = False
    n: int = 1
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    inputs: Inputs = ()
    dimensions: int | None = None
    encoding: Literal["float", "base64"] = "float"
    headers: Mapping[str, str] = {}
    body: Mapping[str, Any] = {}
    scope: str = ""


class Usage(msgspec.Struct, frozen=True):
    """Tokens. `cached` are a part of `input`, `reasoning` of `output`."""

    input: int
    output: int
    cached: int = 0
    reasoning: int = 0


class Reply(msgspec.Struct, frozen=True):
    """What a model says: text, calls of tools, or a refusal.

    `finish` is `stop`, `length`, `tool_calls`, `content_filter` or `refusal`, told in each provider's own word; another
    word goes over the wire as it is. None: what follows from the rest. `usage` None: counted by the wire. `stopped_by`
    is the one of the request's stop sequences that ended the text.
    """

    text: str | None = None
    calls: tuple[ToolUse, ...] = ()
    refusal: str | None = None
    reasoning: str | None = None
    finish: str | None = None
    usage: Usage | None = None
    stopped_by: str | None = None


class BadRequest(Exception):
    """A request that a provider refuses: told in an error of its shape.

    `param` is the part of the body that is wrong (`messages[2].tool_call_id`), `code` and `type` the provider's words,
    where it has some; `type` None follows from the status.
    """

    def __init__(
        self,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        status: int = 400,
        kind: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.param, self.code, self.status, self.kind = message, param, code, status, kind
