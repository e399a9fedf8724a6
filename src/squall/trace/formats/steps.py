"""What readers of other tools' files find in them, in neutral words. Knows no file and no event.

Times are in nanoseconds since 1970; None where a file has none, and then what is told later happened later.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered. `calls` have `name`, `arguments` (JSON text) and, where it is known, `id`."""

    text: str | None = None
    calls: list[dict[str, Any]] = []
    finish: str | None = None
    usage: dict[str, int] = {}


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request to a model. `messages` are in the shape of `target`; `tools` are those offered (None: nobody says).

    `after` is the place, among the steps, of the request that this one continues: then `messages` are only those that
    come after it. `reply` is None where none is known. `error`: why it failed, and `status` HTTP's.
    """

    messages: list[Any]
    target: str = "model.chat"
    model: str = ""
    tools: list[Any] | None = None
    asked: dict[str, Any] = {}
    after: int | None = None
    reply: Reply | None = None
    error: str | None = None
    status: int | None = None
    stream: bool = False
    began: int | None = None
    ended: int | None = None


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool where it happened. `answered`: what came of it is known; `error`: that it failed, and why.

    `bare`: the file says neither what went in nor what came out.
    """

    tool: str
    args: Any
    result: Any = None
    error: str | None = None
    answered: bool = True
    bare: bool = False
    began: int | None = None
    ended: int | None = None


class Left(msgspec.Struct, frozen=True):
    """Messages at the end of a run that no request to a model carries any more."""

    messages: list[Any]


Step = Asked | Used | Left


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """One run found in a file. `id` is its name there, `user` whom it was for.

    `answer` is what the agent gave back, `error` what left it. `missing`: what the file should have and has not, so
    that nobody can judge what is not there.
    """

    format: str
    steps: list[Step]
    id: str = ""
    user: str | None = None
    answer: Any = None
    error: str | None = None
    missing: str | None = None
