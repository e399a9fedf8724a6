"""The model is asked, and asked again when it is down. In one agent two layers try again, in its twin one does.

The bug: OpenAI's own client repeats a request by itself, and stands within a loop that repeats it too. What was to be
two requests at most becomes four, for every user at once, while the provider is down. The clients are openai's.
"""

from __future__ import annotations

from typing import Any

from openai import OpenAI, OpenAIError

MOST_REQUESTS = 2


def buggy() -> str:
    with OpenAI(max_retries=1) as client:
        return answer(client)


def repaired() -> str:
    with OpenAI(max_retries=0) as client:
        return answer(client)


def answer(client: OpenAI) -> str:
    for _ in range(MOST_REQUESTS):
        try:
            completion = client.chat.completions.create(
                model="gpt-5-mini", messages=[{"role": "user", "content": "When does my parcel come?"}]
            )
        except OpenAIError:
            continue
        return completion.choices[0].message.content or "no answer"
    return "the model is down"


def holds(run: Any) -> None:
    requests = len(run.model.attempts)
    assert requests <= MOST_REQUESTS, f"one question became {requests} requests"
