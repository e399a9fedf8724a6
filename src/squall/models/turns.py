"""The words in which people write what a model says: `say`, `call`, `calls`, `refuse`.

Each makes a turn, which is frozen and may stand in scripts and rules as often as one likes. Knows no request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from squall.call import Reply, ToolUse, Usage
from squall.errors import Problem, UsageError, joined, nearest, shown
from squall.models.conditions import Conditions

LONGEST_SHOWN = 60


class Turn(msgspec.Struct, frozen=True):
    """One reply of the model, and what has to hold of a request before it is given.

    `at` is where it was written, if in a file.
    """

    reply: Reply
    expects: tuple[Conditions, ...] = ()
    at: str = ""

    def after(self, *expectations: Conditions) -> Turn:
        """The same turn, given only to requests that fulfil these too: `say("done").after(expect(tool="pay"))`."""
        for each in expectations:
            if not isinstance(each, Conditions):
                raise UsageError(
                    Problem(f"after({shown(each)}): a turn comes after expectations", hint="Write expect(…).")
                )
        return msgspec.structs.replace(self, expects=(*self.expects, *expectations))

    def __str__(self) -> str:
        return described(self.reply)


def say(
    text: str,
    *calls: Turn,
    usage: Usage | Mapping[str, int] | None = None,
    finish_reason: str | None = None,
    reasoning: str | None = None,
) -> Turn:
    """The model says `text`, and may call tools in the same breath: `say("I look it up.", call("find", id=7))`.

    `usage` are the tokens that the reply claims (`{"input": 9, "output": 3}`, `cached` and `reasoning` too; counted
    unless given), `finish_reason` is `stop`, `length`, `content_filter` or another word, `reasoning` what it thought.
    """
    return Turn(_reply("say", usage, finish_reason, reasoning, text=_text("say", text), calls=_uses("say", calls)))


def call(
    tool: str,
    arguments: Mapping[str, Any] | str | None = None,
    /,
    *,
    call_id: str | None = None,
    usage: Usage | Mapping[str, int] | None = None,
    finish_reason: str | None = None,
    reasoning: str | None = None,
    **named: Any,
) -> Turn:
    """The model calls a tool: `call("pay", amount=5)`.

    Arguments that are named as a keyword here (`usage`, `finish_reason`, `reasoning`, `call_id`) go in a mapping:
    `call("meter", {"usage": 5})`. Text in its place goes over the wire as it is, valid JSON or not. Without a `call_id`
    the wire mints one. `usage`, `finish_reason` and `reasoning` are as for `say`.
    """
    use = ToolUse(_tool(tool), _arguments(tool, arguments, named), _id(call_id))
    return Turn(_reply("call", usage, finish_reason, reasoning, calls=(use,)))


def calls(
    *each: Turn,
    usage: Usage | Mapping[str, int] | None = None,
    finish_reason: str | None = None,
    reasoning: str | None = None,
) -> Turn:
    """The model calls several tools at once: `calls(call("a"), call("b"))`. The keywords are as for `say`."""
    if not each:
        raise UsageError(Problem("calls() has no calls in it", hint="Write calls(call('a'), call('b'))."))
    return Turn(_reply("calls", usage, finish_reason, reasoning, calls=_uses("calls", each)))


def refuse(
    text: str,
    *,
    usage: Usage | Mapping[str, int] | None = None,
    finish_reason: str | None = None,
    reasoning: str | None = None,
) -> Turn:
    """The model refuses, in the way that a provider marks refusals. The keywords are as for `say`."""
    return Turn(_reply("refuse", usage, finish_reason, reasoning, refusal=_text("refuse", text)))


def described(reply: Reply) -> str:
    """A reply in a few words."""
    if reply.refusal is not None:
        return f"refuse {shown(reply.refusal, LONGEST_SHOWN)}"
    parts = [] if reply.text is None else [f"say {shown(reply.text, LONGEST_SHOWN)}"]
    parts += [f"call {use.name} {_cut(use.arguments)}" for use in reply.calls]
    return " and ".join(parts) or "say nothing"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"


def _text(word: str, text: object) -> str:
    if not isinstance(text, str):
        raise UsageError(Problem(f"{word}({shown(text)}): this is no text", hint=f"Write {word}('text')."))
    return text


def _tool(name: object) -> str:
    if isinstance(name, str) and name:
        return name
    raise UsageError(
        Problem(f"call({shown(name)}): this is no tool's name", hint="Write call('tool', argument=value).")
    )


def _id(given: object) -> str | None:
    if given is None or (isinstance(given, str) and given):
        return given
    hint = "An argument of the tool that is named so goes in a mapping: call('tool', {'call_id': …})."
    raise UsageError(Problem(f"call(call_id={shown(given)}): this is no text", hint=hint))


def _uses(word: str, turns: Iterable[Any]) -> tuple[ToolUse, ...]:
    found: list[ToolUse] = []
    for turn in turns:
        if not isinstance(turn, Turn) or not turn.reply.calls or turn.reply.text is not None:
            shape = "calls(call('a'), call('b'))" if word == "calls" else "say('text', call('a'))"
            raise UsageError(Problem(f"{word}(… {shown(turn)} …): this is no call of a tool", hint=f"Write {shape}."))
        if turn.expects or turn.reply != Reply(calls=turn.reply.calls):
            message = (
                f"{word}(… {turn} …): usage, finish_reason, reasoning and expectations are those of the whole turn"
            )
            raise UsageError(Problem(message, hint=f"Give them to {word}(…)."))
        found += turn.reply.calls
    return tuple(found)


def _arguments(tool: str, given: Any, named: Mapping[str, Any]) -> str:
    """The arguments as JSON text, compact, in the order in which they were written."""
    if isinstance(given, str):
        if named:
            raise UsageError(
                Problem(f"call({tool!r}): arguments are text and also {', '.join(named)}", hint="Write one of both.")
            )
        return given
    if given is not None and not isinstance(given, Mapping):
        hint = f"Write call({tool!r}, name=value) or call({tool!r}, {{'name': value}})."
        raise UsageError(Problem(f"call({tool!r}): arguments cannot be {shown(given)}", hint=hint))
    try:
        text = json.dumps({**(given or {}), **named}, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        hint = "Use text, numbers, booleans, None, lists and mappings."
        raise UsageError(Problem(f"call({tool!r}): arguments are not JSON: {error}", hint=hint)) from None
    return text


def _reply(
    word: str,
    usage: Usage | Mapping[str, int] | None,
    finish_reason: str | None,
    reasoning: str | None,
    *,
    text: str | None = None,
    calls: tuple[ToolUse, ...] = (),
    refusal: str | None = None,
) -> Reply:
    for name, value in (("finish_reason", finish_reason), ("reasoning", reasoning)):
        if value is not None and not isinstance(value, str):
            raise UsageError(Problem(f"{word}({name}={shown(value)}): this is no text", hint=_as_argument(word, name)))
    return Reply(text, calls, refusal, reasoning, finish_reason, _usage(word, usage))


def _usage(word: str, usage: object) -> Usage | None:
    if usage is None or isinstance(usage, Usage):
        return usage
    if not isinstance(usage, Mapping):
        message = f"{word}(usage={shown(usage)}): usage is the tokens of the reply, {{'input': 9, 'output': 3}}"
        raise UsageError(Problem(message, hint=_as_argument(word, "usage")))
    names = Usage.__struct_fields__
    problems = [_unknown(name, names) for name in usage if name not in names]
    problems += [f"{name} is missing" for name in ("input", "output") if name not in usage]
    problems += [f"{k} cannot be {shown(v)}" for k, v in usage.items() if k in names and not _is_count(v)]
    if problems:
        raise UsageError(
            Problem(f"{word}(usage={shown(usage)}): {joined(problems)}", hint=f"Keys: {', '.join(names)}.")
        )
    return Usage(**usage)


def _unknown(name: object, names: tuple[str, ...]) -> str:
    near = nearest(name, names)
    return f"unknown key {shown(name)}" + (f", did you mean {near!r}?" if near else "")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _as_argument(word: str, name: str) -> str | None:
    if word != "call":
        return None
    return f"An argument of the tool that is named so goes in a mapping: call('tool', {{'{name}': …}})."
