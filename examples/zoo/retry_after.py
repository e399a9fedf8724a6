"""The model says when to ask again. One agent asks again when it likes, its twin when it was told to.

The bug: a fixed pause after each error, whatever the provider has said. It keeps the limit exceeded that it ran into.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import chat

ATTEMPTS = 4
PAUSE = 0.5  # seconds
QUESTION = [{"role": "user", "content": "When does my parcel come?"}]


def buggy() -> str:
    for _ in range(ATTEMPTS):
        try:
            return chat.ask(QUESTION).text
        except chat.ModelError:
            time.sleep(PAUSE)
    return "the model is down"


def repaired() -> str:
    for _ in range(ATTEMPTS):
        try:
            return chat.ask(QUESTION).text
        except chat.ModelError as error:
            time.sleep(max(PAUSE, error.retry_after or 0))
    return "the model is down"


def holds(run: Any) -> None:
    for first, second in pairwise(run.model.attempts):
        if first.status == 429:
            told = first.happened[0].rule.params["retry_after"]
            waited = second.began - first.ended
            assert waited >= told, f"told to wait {told:g} s, it asked again after {waited:g} s"
