"""Counting tokens: the answer is of the SDK's shape, and the same as what a reply counts."""

from __future__ import annotations

from anthropic.types import MessageTokensCount

from squall.call import Reply
from squall.wire.anthropic import count_tokens
from squall.wire.anthropic.messages import Messages


def test_a_request_counts_as_many_tokens_as_its_reply_says(asked, stamp, headers, valid):
    body = {"model": "m", "system": "Be brief", "messages": [{"role": "user", "content": "Where is my order?"}]}
    counted = valid(MessageTokensCount, count_tokens.whole(count_tokens.read(body, headers)))
    answered = Messages().whole(asked(**body), Reply(text="There"), stamp)
    assert counted.input_tokens == answered["usage"]["input_tokens"] > 5
