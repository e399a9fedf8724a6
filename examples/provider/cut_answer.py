"""Two agents that answer customers from a streamed completion: one sends what came, its repaired twin what is complete.

They know nothing of squall: the client is OpenAI's own.
"""

from __future__ import annotations

from openai import OpenAI

ATTEMPTS = 4
SORRY = "I am having trouble answering right now. A colleague will write to you."


def trusting_agent(question: str) -> str:
    """The bug: a stream that ends without an error need not have come to its end."""
    with OpenAI() as client:
        text, _ = ask(client, question)
        return text


def checking_agent(question: str) -> str:
    """An answer is complete when the model has said so, in `finish_reason`; without that it asks again."""
    with OpenAI() as client:
        for _ in range(ATTEMPTS):
            text, finish_reason = ask(client, question)
            if finish_reason == "stop":
                return text
        return SORRY


def ask(client: OpenAI, question: str) -> tuple[str, str | None]:
    """The text that came, and why the model stopped; None if it never said."""
    text, finish_reason = "", None
    stream = client.chat.completions.create(
        model="gpt-5-mini", messages=[{"role": "user", "content": question}], stream=True
    )
    for chunk in stream:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish_reason = choice.finish_reason or finish_reason
    return text, finish_reason
