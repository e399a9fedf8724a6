"""langgraph, unmodified: what its nodes ask through langchain's clients, and what its tool node tells a model."""

from __future__ import annotations

import asyncio
import importlib

import pytest

from squall.checks.story import story_of
from squall.models import call, say


@pytest.fixture(scope="session")
def graphs(quiet):
    return importlib.import_module("langgraph.graph"), importlib.import_module("langgraph.prebuilt")


@pytest.fixture
def agent(graphs, langchain_openai, langchain_anthropic):
    """Makes an agent that asks a model of the provider that is named, and calls one tool until it has an answer."""
    graph, prebuilt = graphs
    models = {
        "openai": lambda: langchain_openai.ChatOpenAI(model="m"),
        "anthropic": lambda: langchain_anthropic.ChatAnthropic(model="m", max_tokens=100),
    }

    def made(provider, tool):
        model = models[provider]().bind_tools([tool])
        made = graph.StateGraph(graph.MessagesState)
        made.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
        made.add_node("tools", prebuilt.ToolNode([tool], handle_tool_errors=True))
        made.add_edge(graph.START, "model")
        made.add_conditional_edges("model", prebuilt.tools_condition)
        made.add_edge("tools", "model")
        return made.compile()

    return made


def pay(to: str) -> str:
    """Pay somebody."""
    if to == "Eve":
        raise ValueError("unknown payee")
    return "paid"


def invoked(agent):
    return agent.invoke({"messages": [("user", "Pay Bob.")]})


def awaited(agent):
    return asyncio.run(agent.ainvoke({"messages": [("user", "Pay Bob.")]}))


@pytest.mark.parametrize("run", [invoked, awaited])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_an_agent_is_one_conversation_with_its_tools(agent, model, seen, provider, run):
    model.script(call("pay", to="Bob"), say("Bob is paid."))
    assert run(agent(provider, pay))["messages"][-1].text == "Bob is paid."
    assert len(seen.of("model_call")) == len(seen.of("model_reply")) == len(model.attempts) == 2
    (conversation,) = story_of(seen.trace).conversations
    assert [(step.tool, step.text, step.failed) for step in conversation.tools] == [("pay", "paid", None)]


def test_what_its_tool_node_tells_of_an_exception_is_a_failure(agent, model, seen):
    model.script(call("pay", to="Eve"), say("Eve is paid."))
    invoked(agent("openai", pay))
    (step,) = story_of(seen.trace).tools
    assert (step.failed, "unknown payee" in (step.error or "")) == ("default text", True)
