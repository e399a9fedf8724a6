"""Tools as plain callables: what a framework reads off them, and what they raise."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import pickle
from typing import Literal, get_type_hints

import pytest

from squall import ToolError


def test_a_tool_looks_like_a_function_that_somebody_wrote(begin):
    with begin() as run:
        tool = run.tools.create_note
    assert tool.__name__ == tool.__qualname__ == "create_note"
    assert tool.__doc__ == "Create a note."
    parameters = inspect.signature(tool).parameters
    assert parameters["text"].default is inspect.Parameter.empty
    assert parameters["text"].annotation is str
    assert parameters["pages"].annotation == int | None
    assert parameters["pages"].default is None
    assert parameters["state"].annotation == Literal["open", "done"] | None
    assert parameters["price"].annotation == float | None
    assert parameters["tags"].annotation == list | None
    assert parameters["done"].annotation == bool | None
    assert parameters["address"].annotation == dict | None
    assert get_type_hints(tool)["text"] is str


def test_what_an_agent_does_to_a_tools_annotations_reaches_no_later_run(begin):
    with begin() as run:
        run.tools.create_note.__annotations__.clear()
    with begin() as run:
        assert get_type_hints(run.tools.create_note)["text"] is str
        assert get_type_hints(run.tools.aio.create_note)["text"] is str


def test_a_handlers_default_is_the_tools_default(begin):
    with begin() as run:
        parameters = inspect.signature(run.tools.move).parameters
        assert list(parameters) == ["note_id", "to"]
        assert (parameters["to"].default, parameters["to"].annotation) == ("top", str)
        assert run.tools.move("1") == {"to": "top", "note_id": "1"}
        assert run.tools.move("1", "left") == {"to": "left", "note_id": "1"}


def test_arguments_may_be_positional_in_the_order_of_the_signature(begin):
    with begin() as run:
        assert run.tools.list_notes("open", 2) == [run.tools.get_note("1")]
        assert run.tools.list_notes("done") == []
        with pytest.raises(TypeError, match=r"get_note\(\) takes 1 arguments but 2 were given"):
            run.tools.get_note("1", "2")
        with pytest.raises(TypeError, match=r"got multiple values for argument 'id'"):
            run.tools.get_note("1", id="1")
    assert run.trace.count("get_note") == 1


def test_spelling_out_a_default_says_the_same_as_leaving_it_out(begin):
    with begin() as run:
        assert run.tools.list_notes(state=None, pages=None) == run.tools.list_notes()
        assert run.tools.list_notes(None, 2) == run.tools.list_notes(pages=2)
        assert run.tools.update_note("1", text="new", pages=None)["pages"] == 2
        assert run.tools.update_note("1", due="2025-06-02T00:00:00Z")["due"] is not None
        assert run.tools.update_note("1", due=None)["due"] is None  # a field that may be null


def test_a_tool_may_have_any_name(begin):
    with begin() as run:
        note = run.tools.get_note("1")
        assert getattr(run.tools, "class")("1") == note
        assert run.tools["class"]("1") == note
        assert run.tools["aio"]("1") == note
        assert run.tools["openai"]("1") == note
        assert asyncio.run(run.tools.aio["aio"]("1")) == note
        assert isinstance(run.tools.openai(), list)
        assert asyncio.run(run.tools.aio.get_note("1")) == note
        assert {"get_note", "aio", "class", "openai", "anthropic"} <= set(dir(run.tools))


def test_an_argument_may_have_a_name_that_python_keeps_for_itself(begin):
    with begin() as run:
        assert run.tools.update_note("1", **{"from": "ann"})["from"] == "ann"
        assert inspect.signature(run.tools.update_note).parameters["more"].kind is inspect.Parameter.VAR_KEYWORD


@pytest.mark.parametrize("aio", [False, True])
def test_an_unknown_tool_is_an_attribute_error_with_the_nearest(begin, aio):
    with begin() as run:
        tools = run.tools.aio if aio else run.tools
        with pytest.raises(AttributeError, match="there is no tool 'get_notes'; did you mean 'get_note'"):
            tools.get_notes
        with pytest.raises(AttributeError, match="there is no tool 'zzz'; there are get_note, list_notes"):
            tools.zzz
        assert not hasattr(tools, "__deepcopy__")
    assert run.trace.calls() == []


def test_tools_can_be_copied_and_looked_at(begin):
    with begin() as run:
        assert copy.copy(run.tools).get_note("1") == run.tools.get_note("1")
        assert run.tools.get_note is run.tools.get_note
        with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
            pickle.dumps(run.tools)


def test_iterating_gives_the_visible_tools(begin):
    with begin({"target": "desk.count", "kind": "tool_removed", "nth": 1}) as run:
        names = [tool.__name__ for tool in run.tools]
        assert names == list(run.world.operations)
        with pytest.raises(ToolError, match="Unknown tool: count"):
            run.tools.count()
        assert [tool.__name__ for tool in run.tools] == [name for name in names if name != "count"]
        assert "count" not in [tool["function"]["name"] for tool in run.tools.openai()]
        assert "count" not in [tool["name"] for tool in run.tools.anthropic()]
        assert all(inspect.iscoroutinefunction(tool) for tool in run.tools.aio)


def test_schemas_for_models_are_the_input_schemas(begin):
    with begin() as run:
        operations = run.world.operations
        for entry in run.tools.openai():
            function = entry["function"]
            assert entry["type"] == "function"
            assert function["parameters"] == operations[function["name"]].input_schema
            assert function["description"] == operations[function["name"]].description
        for entry in run.tools.anthropic():
            assert entry["input_schema"] == operations[entry["name"]].input_schema
        assert json.dumps(run.tools.openai())


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_what_an_agent_does_to_a_schema_reaches_no_later_run(begin, kind):
    with begin() as run:
        before = json.dumps(getattr(run.tools, kind)())
        for entry in getattr(run.tools, kind)():
            schema = entry["function"]["parameters"] if kind == "openai" else entry["input_schema"]
            schema["properties"].clear()
    with begin() as run:
        assert json.dumps(getattr(run.tools, kind)()) == before


def test_results_are_json_ready_and_the_callers_own(begin):
    with begin() as run:
        note = run.tools.get_note("1")
        assert json.loads(json.dumps(note)) == note
        note["tags"].append("z")
        note["address"]["street"] = "elsewhere"
        assert run.tools.get_note("1")["tags"] == ["a", "b"]
        assert run.tools.get_note("1")["address"]["street"] != "elsewhere"


@pytest.mark.parametrize("aio", [False, True])
@pytest.mark.parametrize(
    ("rule", "kind", "status", "retry_after"),
    [
        ({"kind": "http_503", "retry_after": 7}, ToolError, 503, 7),
        ({"kind": "permission_denied"}, ToolError, 403, None),
        ({"kind": "not_found"}, ToolError, 404, None),
        ({"kind": "is_error"}, ToolError, None, None),
        ({"kind": "timeout"}, TimeoutError, None, None),
        ({"kind": "connection_lost"}, ConnectionError, None, None),
        ({"kind": "malformed_json"}, json.JSONDecodeError, None, None),
    ],
)
def test_what_goes_wrong_is_raised_as_python_has_it(begin, rule, kind, status, retry_after, aio):
    with begin({"target": "desk.count", "nth": 1, **rule}) as run, pytest.raises(kind) as raised:
        if aio:
            asyncio.run(run.tools.aio.count())
        else:
            run.tools.count()
    if kind is ToolError:
        assert (raised.value.status, raised.value.retry_after) == (status, retry_after)
    assert str(raised.value)


@pytest.mark.parametrize(
    ("call", "status", "text"),
    [
        (lambda tools: tools.get_note("99"), 404, "note '99' not found"),
        (lambda tools: tools.get_note(), 400, "missing argument 'id'"),
        (lambda tools: tools.get_note(5), 400, "id: 5 is not a string"),
        (lambda tools: tools.list_notes(state="opn"), 400, "state: 'opn' is not one of open, done"),
        (lambda tools: tools.update_note("1", pages=11), 400, "pages"),
    ],
)
def test_a_malformed_request_is_refused_with_its_reason(begin, call, status, text):
    with begin() as run, pytest.raises(ToolError) as refusal:
        call(run.tools)
    assert refusal.value.status == status
    assert text in str(refusal.value)
