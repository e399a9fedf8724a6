"""Two agents that stream a summary: one waits for as long as the provider pings, its repaired twin has a deadline.

They know nothing of squall: the client is OpenAI's own.
"""

from __future__ import annotations

import asyncio

from openai import AsyncOpenAI

ATTEMPTS = 4
DEADLINE = 120
SORRY = "There is no summary today."


async def patient_agent(report: str) -> str:
    """The bug: the client's timeout is for each read, and a ping is one. It begins anew with every sign of life."""
    async with AsyncOpenAI(timeout=60) as client:
        return await summary(client, report)


async def punctual_agent(report: str) -> str:
    """Has a deadline of its own for the whole reply, and asks again when that has passed."""
    async with AsyncOpenAI(timeout=60) as client:
        for _ in range(ATTEMPTS):
            try:
                async with asyncio.timeout(DEADLINE):
                    return await summary(client, report)
            except TimeoutError:
                continue
        return SORRY


async def summary(client: AsyncOpenAI, report: str) -> str:
    stream = await client.chat.completions.create(
        model="gpt-5-mini", messages=[{"role": "user", "content": f"Summarise this: {report}"}], stream=True
    )
    parts = [choice.delta.content or "" async for chunk in stream for choice in chunk.choices]
    return "".join(parts)
