"""Conversations as an agent would bring them along."""

from __future__ import annotations

import itertools

import pytest

from squall.call import Message, ModelRequest, ToolOffer


@pytest.fixture
def asked():
    """A request with these messages: a text is the user's, a pair is a role and a text."""

    def make(*messages, offers=(), **changes):
        read = tuple(
            Message("user", one) if isinstance(one, str) else one if isinstance(one, Message) else Message(*one)
            for one in messages
        )
        return ModelRequest("chat", "gpt-5", read, tuple(ToolOffer(name) for name in offers), **changes)

    return make


@pytest.fixture
def done():
    """The messages that a turn leaves behind: what was said, and a result for each call."""
    ids = itertools.count()

    def make(turn, *results):
        uses = tuple(type(use)(use.name, use.arguments, use.id or f"call_{next(ids)}") for use in turn.reply.calls)
        said = Message("assistant", turn.reply.text or turn.reply.refusal or "", uses)
        answers = itertools.chain(results, itertools.repeat("ok"))
        return [said, *(Message("tool", text, answers=use.id) for use, text in zip(uses, answers, strict=False))]

    return make
