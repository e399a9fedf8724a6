"""Pieces of a stream that begin and end in the middle of a character or a line: an SDK puts them together again."""

from __future__ import annotations

from typing import Any

import httpx2
import openai
import pytest

from squall.models import say

TEXT = "Żółw żuje źdźbło 🐢🐢🐢 w cieniu drzew"
ASK: dict[str, Any] = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Hi"}]}


@pytest.fixture
def cut(model):
    model.script(say(TEXT))
    model.faults({"model.chat": [{"kind": "slow_body", "pieces": 400, "seconds": 0.01}]})


def whole(piece):
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.usefixtures("cut")
def test_a_stream_is_cut_inside_characters_and_inside_lines(model):
    with (
        httpx2.Client(timeout=60) as client,
        client.stream("POST", f"{model.openai_base_url}/chat/completions", json=ASK) as reply,
    ):
        pieces = list(reply.iter_raw())
    assert "Żółw" in b"".join(pieces).decode()
    assert not all(map(whole, pieces)), "no character was cut"
    assert sum(not piece.endswith(b"\n") for piece in pieces) > len(pieces) / 2, "hardly a line was cut"


@pytest.mark.usefixtures("cut")
def test_the_sdk_reads_the_same_text():
    with openai.OpenAI() as client:
        chunks = list(client.chat.completions.create(**ASK))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TEXT
