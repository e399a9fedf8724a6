"""The ways to ask a model something with real SDKs, as their users write it, and what such code gets to see.

Each way sends one question, with a deadline of 60 s and whatever else is the SDK's own default, and tells a `Heard`
what comes: text piece by piece, and calls of the one tool. Agents run the tool, and then go on. Every SDK is imported
where it is used: some take seconds.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

DEADLINE = 60
PROMPT = "Pay Bob."
QUESTION: Any = [{"role": "user", "content": PROMPT}]
PAY = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "amount": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["to"],
    "additionalProperties": False,
}
CHAT_TOOL: Any = {"type": "function", "function": {"name": "pay", "description": "Pay somebody.", "parameters": PAY}}
MESSAGES_TOOL: Any = {"name": "pay", "description": "Pay somebody.", "input_schema": PAY}


class Heard:
    """What reaches the code that asked. As text: what was said, what was called, and what was raised in the end."""

    def __init__(self):
        self.said, self.calls, self.error = "", [], None

    def say(self, text):
        """A piece of the answer."""
        self.said += text or ""

    def call(self, arguments, name="pay"):
        """A call of a tool, as a whole."""
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments)
        self.calls.append(f"{name}({arguments})")

    def pay(self, to: str, amount: int = 0, note: str = "") -> str:
        """Pay somebody.

        Args:
            to: Who gets it.
            amount: How much.
            note: What for.
        """
        self.call({"to": to, **({"amount": amount} if amount else {}), **({"note": note} if note else {})})
        return "paid"

    def __str__(self):
        parts = [repr(self.said)] if self.said else []
        parts += self.calls
        if self.error is not None:
            kind = type(self.error)
            parts.append(f"{kind.__module__.partition('.')[0]}.{kind.__name__}".removeprefix("builtins."))
        return " then ".join(parts) or "nothing"


WAYS: dict[str, Callable[[Heard], object]] = {}


def way(name):
    """Register a way under the words by which a test calls it."""

    def register(fn):
        WAYS[name] = fn
        return fn

    return register


KEPT = (
    ("langchain_openai.chat_models._client_utils", "_cached_async_httpx_client"),
    ("langchain_anthropic._client_utils", "_get_default_async_httpx_client"),
)


def forget_clients():
    """LangChain keeps its clients by their address. Tests close theirs, and another run may have the same port."""
    for module, cache in KEPT:
        if (there := sys.modules.get(module)) is not None:
            getattr(there, cache).cache_clear()


def ask(name):
    """Go one of the ways, and give what was heard."""
    forget_clients()
    heard = Heard()
    try:
        coming = WAYS[name](heard)
        if inspect.iscoroutine(coming):
            asyncio.run(coming)
    except Exception as error:
        heard.error = error
    return heard


# openai, chat completions


def _chat(heard, completion):
    message = completion.choices[0].message
    heard.say(message.content)
    for each in message.tool_calls or ():
        heard.call(each.function.arguments, each.function.name)


def _chunk(heard, chunk):
    if chunk.choices:
        heard.say(chunk.choices[0].delta.content)


@way("openai chat")
def _(heard):
    import openai

    with openai.OpenAI(timeout=DEADLINE) as client:
        _chat(heard, client.chat.completions.create(model="m", messages=QUESTION, tools=[CHAT_TOOL]))


@way("openai chat, async")
async def _(heard):
    import openai

    async with openai.AsyncOpenAI(timeout=DEADLINE) as client:
        _chat(heard, await client.chat.completions.create(model="m", messages=QUESTION, tools=[CHAT_TOOL]))


@way("openai chat, streamed")
def _(heard):
    import openai

    with (
        openai.OpenAI(timeout=DEADLINE) as client,
        client.chat.completions.create(model="m", messages=QUESTION, tools=[CHAT_TOOL], stream=True) as stream,
    ):
        for chunk in stream:
            _chunk(heard, chunk)


@way("openai chat, streamed, async")
async def _(heard):
    import openai

    async with (
        openai.AsyncOpenAI(timeout=DEADLINE) as client,
        await client.chat.completions.create(model="m", messages=QUESTION, tools=[CHAT_TOOL], stream=True) as stream,
    ):
        async for chunk in stream:
            _chunk(heard, chunk)


@way("openai chat.stream()")
def _(heard):
    import openai

    with (
        openai.OpenAI(timeout=DEADLINE) as client,
        client.chat.completions.stream(model="m", messages=QUESTION, tools=[CHAT_TOOL]) as stream,
    ):
        for event in stream:
            if event.type == "content.delta":
                heard.say(event.delta)
            elif event.type == "tool_calls.function.arguments.done":
                heard.call(event.arguments, event.name)


# openai, responses


def _response(heard, response):
    heard.say(response.output_text)
    for item in response.output:
        if item.type == "function_call":
            heard.call(item.arguments, item.name)


def _event(heard, event):
    if event.type == "response.output_text.delta":
        heard.say(event.delta)
    elif event.type == "response.function_call_arguments.done":
        heard.call(event.arguments)
    elif event.type == "error":
        heard.calls.append("event: error")


FLAT_TOOL: Any = {"type": "function", "name": "pay", "description": "Pay somebody.", "parameters": PAY, "strict": False}


@way("openai responses")
def _(heard):
    import openai

    with openai.OpenAI(timeout=DEADLINE) as client:
        _response(heard, client.responses.create(model="m", input=PROMPT, tools=[FLAT_TOOL]))


@way("openai responses, async")
async def _(heard):
    import openai

    async with openai.AsyncOpenAI(timeout=DEADLINE) as client:
        _response(heard, await client.responses.create(model="m", input=PROMPT, tools=[FLAT_TOOL]))


@way("openai responses, streamed")
def _(heard):
    import openai

    with (
        openai.OpenAI(timeout=DEADLINE) as client,
        client.responses.create(model="m", input=PROMPT, tools=[FLAT_TOOL], stream=True) as stream,
    ):
        for event in stream:
            _event(heard, event)


@way("openai responses, streamed, async")
async def _(heard):
    import openai

    async with (
        openai.AsyncOpenAI(timeout=DEADLINE) as client,
        await client.responses.create(model="m", input=PROMPT, tools=[FLAT_TOOL], stream=True) as stream,
    ):
        async for event in stream:
            _event(heard, event)


@way("openai responses.stream()")
def _(heard):
    import openai

    with (
        openai.OpenAI(timeout=DEADLINE) as client,
        client.responses.stream(model="m", input=PROMPT, tools=[FLAT_TOOL]) as stream,
    ):
        for event in stream:
            _event(heard, event)
        stream.get_final_response()


# anthropic


def _message(heard, message):
    for block in message.content:
        if block.type == "text":
            heard.say(block.text)
        elif block.type == "tool_use":
            heard.call(block.input, block.name)


def _delta(heard, event):
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        heard.say(event.delta.text)


@way("anthropic messages")
def _(heard):
    import anthropic

    with anthropic.Anthropic(timeout=DEADLINE) as client:
        _message(heard, client.messages.create(model="m", max_tokens=99, messages=QUESTION, tools=[MESSAGES_TOOL]))


@way("anthropic messages, async")
async def _(heard):
    import anthropic

    async with anthropic.AsyncAnthropic(timeout=DEADLINE) as client:
        asked = client.messages.create(model="m", max_tokens=99, messages=QUESTION, tools=[MESSAGES_TOOL])
        _message(heard, await asked)


@way("anthropic messages, streamed")
def _(heard):
    import anthropic

    with (
        anthropic.Anthropic(timeout=DEADLINE) as client,
        client.messages.create(
            model="m", max_tokens=99, messages=QUESTION, tools=[MESSAGES_TOOL], stream=True
        ) as stream,
    ):
        for event in stream:
            _delta(heard, event)


@way("anthropic messages, streamed, async")
async def _(heard):
    import anthropic

    async with (
        anthropic.AsyncAnthropic(timeout=DEADLINE) as client,
        await client.messages.create(
            model="m", max_tokens=99, messages=QUESTION, tools=[MESSAGES_TOOL], stream=True
        ) as stream,
    ):
        async for event in stream:
            _delta(heard, event)


@way("anthropic .stream()")
def _(heard):
    import anthropic

    with (
        anthropic.Anthropic(timeout=DEADLINE) as client,
        client.messages.stream(model="m", max_tokens=99, messages=QUESTION, tools=[MESSAGES_TOOL]) as stream,
    ):
        for text in stream.text_stream:
            heard.say(text)
        for block in stream.get_final_message().content:
            if block.type == "tool_use":
                heard.call(block.input, block.name)


@way("anthropic .stream(), async")
async def _(heard):
    import anthropic

    async with (
        anthropic.AsyncAnthropic(timeout=DEADLINE) as client,
        client.messages.stream(model="m", max_tokens=99, messages=QUESTION, tools=[MESSAGES_TOOL]) as stream,
    ):
        async for text in stream.text_stream:
            heard.say(text)
        for block in (await stream.get_final_message()).content:
            if block.type == "tool_use":
                heard.call(block.input, block.name)


def _runner(client, heard, **more):
    import anthropic

    tool = anthropic.beta_tool(heard.pay, name="pay")
    return client.beta.messages.tool_runner(model="m", max_tokens=99, messages=QUESTION, tools=[tool], **more)


@way("anthropic tool_runner")
def _(heard):
    import anthropic

    with anthropic.Anthropic(timeout=DEADLINE) as client:
        for message in _runner(client, heard):
            heard.say("".join(block.text for block in message.content if block.type == "text"))


@way("anthropic tool_runner, streamed")
def _(heard):
    import anthropic

    with anthropic.Anthropic(timeout=DEADLINE) as client:
        for stream in _runner(client, heard, stream=True):
            for event in stream:
                _delta(heard, event)


@way("anthropic tool_runner, eager")
def _(heard):
    import anthropic

    with anthropic.Anthropic(timeout=DEADLINE) as client:
        for stream in _runner(client, heard, stream=True, run_tools_eagerly=True):
            for event in stream:
                _delta(heard, event)


@way("anthropic tool_runner, streamed, async")
async def _(heard):
    import anthropic

    async def pay(to: str, amount: int = 0, note: str = "") -> str:
        """Pay somebody."""
        return str(heard.pay(to, amount, note))

    async with anthropic.AsyncAnthropic(timeout=DEADLINE) as client:
        runner = client.beta.messages.tool_runner(
            model="m", max_tokens=99, messages=QUESTION, tools=[anthropic.beta_async_tool(pay)], stream=True
        )
        async for stream in runner:
            async for event in stream:
                _delta(heard, event)


# litellm


@asynccontextmanager
async def _closed_litellm():
    """It keeps its clients; they are closed in the loop that they are of."""
    from litellm.llms.custom_httpx import async_client_cleanup

    try:
        yield
    finally:
        await async_client_cleanup.close_litellm_async_clients()


def _lite(name, model):
    asked: dict[str, Any] = {"model": model, "messages": QUESTION, "tools": [CHAT_TOOL], "timeout": DEADLINE}

    @way(name)
    def _(heard):
        import litellm

        _chat(heard, litellm.completion(**asked))

    @way(f"{name}, async")
    async def _(heard):
        import litellm

        async with _closed_litellm():
            _chat(heard, await litellm.acompletion(**asked))

    @way(f"{name}, streamed")
    def _(heard):
        import litellm

        for chunk in litellm.completion(**asked, stream=True):
            _chunk(heard, chunk)

    @way(f"{name}, streamed, async")
    async def _(heard):
        import litellm

        async with _closed_litellm():
            async for chunk in await litellm.acompletion(**asked, stream=True):
                _chunk(heard, chunk)


_lite("litellm openai/", "openai/m")
_lite("litellm anthropic/", "anthropic/claude-x")


# langchain


def _ai_message(heard, message):
    heard.say(message.text)
    _ai_calls(heard, message)


def _ai_calls(heard, message):
    for each in message.tool_calls:
        heard.call(each["args"], each["name"])
    for each in message.invalid_tool_calls:
        heard.call(each["args"], f"invalid: {each['name']}")


def _chain(name, made):
    @way(name)
    def _(heard):
        _ai_message(heard, made()[0].invoke(PROMPT))

    @way(f"{name}, async")
    async def _(heard):
        model, client = made()
        async with client:
            _ai_message(heard, await model.ainvoke(PROMPT))

    @way(f"{name}, streamed")
    def _(heard):
        whole = None
        for chunk in made()[0].stream(PROMPT):
            heard.say(chunk.text)
            whole = chunk if whole is None else whole + chunk
        _ai_calls(heard, whole)

    @way(f"{name}, streamed, async")
    async def _(heard):
        model, client = made()
        whole = None
        async with client:
            async for chunk in model.astream(PROMPT):
                heard.say(chunk.text)
                whole = chunk if whole is None else whole + chunk
        _ai_calls(heard, whole)


def _chat_openai():
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="m", timeout=DEADLINE)
    return model.bind_tools([CHAT_TOOL]), model.root_async_client


def _chat_anthropic():
    from langchain_anthropic import ChatAnthropic

    settings: dict[str, Any] = {"model": "m", "timeout": DEADLINE, "max_tokens": 99}  # by their aliases
    model = ChatAnthropic(**settings)
    return model.bind_tools([MESSAGES_TOOL]), model._async_client


_chain("ChatOpenAI", _chat_openai)
_chain("ChatAnthropic", _chat_anthropic)


# pydantic-ai


def _pydantic(name, made):
    def agent(heard, model):
        from pydantic_ai import Agent

        return Agent(model, tools=[heard.pay], retries=0)

    @way(name)
    async def _(heard):
        model, client = made()
        async with client:
            heard.say((await agent(heard, model).run(PROMPT)).output)

    @way(f"{name}, run_stream")
    async def _(heard):
        model, client = made()
        async with client, agent(heard, model).run_stream(PROMPT) as result:
            async for text in result.stream_text(delta=True, debounce_by=None):
                heard.say(text)


def _pydantic_openai(kind):
    def made():
        import openai
        from pydantic_ai.models import openai as models
        from pydantic_ai.providers.openai import OpenAIProvider

        client = openai.AsyncOpenAI(timeout=DEADLINE)
        return getattr(models, kind)("m", provider=OpenAIProvider(openai_client=client)), client

    return made


def _pydantic_anthropic():
    import anthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = anthropic.AsyncAnthropic(timeout=DEADLINE)
    return AnthropicModel("m", provider=AnthropicProvider(anthropic_client=client)), client


_pydantic("pydantic-ai chat", _pydantic_openai("OpenAIChatModel"))
_pydantic("pydantic-ai responses", _pydantic_openai("OpenAIResponsesModel"))
_pydantic("pydantic-ai anthropic", _pydantic_anthropic)


# openai-agents


def _agents(name, over):
    def agent(heard, client):
        import agents

        model = getattr(agents, over)("m", openai_client=client)
        return agents.Agent("payer", model=model, tools=[agents.function_tool(heard.pay)])

    @way(name)
    async def _(heard):
        import agents
        import openai

        async with openai.AsyncOpenAI(timeout=DEADLINE) as client:
            heard.say((await agents.Runner.run(agent(heard, client), PROMPT)).final_output)

    @way(f"{name}, run_streamed")
    async def _(heard):
        import agents
        import openai

        async with openai.AsyncOpenAI(timeout=DEADLINE) as client:
            result = agents.Runner.run_streamed(agent(heard, client), PROMPT)
            async for event in result.stream_events():
                if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                    heard.say(event.data.delta)


_agents("agents chat", "OpenAIChatCompletionsModel")
_agents("agents responses", "OpenAIResponsesModel")
