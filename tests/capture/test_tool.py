"""`squall.tool`: what a tool is called with and what comes of it, as it happens."""

from __future__ import annotations

import asyncio
import inspect

import pytest

import squall
from squall.trace.kinds import ToolCall, ToolResult

pytestmark = pytest.mark.usefixtures("alone")


@squall.tool
def add(a: int, b: int = 2, *rest: int, scale: int = 1, **more: int) -> dict[str, int]:
    """Add them."""
    return {"sum": (a + b) * scale}


@squall.tool(name="pay_out", mutates=True, idempotency_key="token")
async def pay(to: str, token: str | None = None) -> str:
    await asyncio.sleep(0)
    if to == "nobody":
        raise LookupError("nobody is there")
    return f"paid {to}"


def events(run):
    return [each.event for each in run.trace if isinstance(each.event, ToolCall | ToolResult)]


def test_a_tool_is_the_function_that_it_was():
    assert add(1) == {"sum": 3}
    assert (add.__name__, add.__doc__) == ("add", "Add them.")
    assert list(inspect.signature(add).parameters) == ["a", "b", "rest", "scale", "more"]
    assert inspect.iscoroutinefunction(pay)
    assert asyncio.run(pay("Bob")) == "paid Bob"


def test_a_call_is_recorded_with_arguments_by_name_and_its_exact_result():
    with squall.run("r") as run:
        add(1, scale=3, x=9)
    call, result = events(run)
    assert (call.tool, call.args, call.access, call.key) == ("add", {"a": 1, "scale": 3, "x": 9}, "", None)
    assert (result.ok, result.form, result.result) == (True, "value", {"sum": 9})
    assert call.call == result.call


def test_an_async_tool_says_that_it_writes_and_with_which_key():
    with squall.run("r") as run:
        asyncio.run(pay("Bob", token="k1"))
    call, result = events(run)
    assert (call.tool, call.access, call.key) == ("pay_out", "write", "k1")
    assert result.result == "paid Bob"
    (step,) = run.steps
    assert (step.mutates, step.key) == (True, "k1")  # type: ignore[union-attr]  # it is a tool


def test_an_exception_is_recorded_and_is_the_callers():
    with squall.run("r") as run, pytest.raises(LookupError, match="nobody is there"):
        asyncio.run(pay("nobody"))
    _, result = events(run)
    assert (result.ok, result.error) == (False, "LookupError: nobody is there")


def test_wrong_arguments_are_the_functions_own_error():
    with squall.run("r") as run, pytest.raises(TypeError, match="add"):
        add()  # type: ignore[call-arg]  # that is the point
    assert not events(run)[1].ok


def test_arguments_are_kept_as_they_were_and_objects_as_what_they_are():
    class Context:
        pass

    @squall.tool
    def look(context, items):
        items.append(2)
        return items

    with squall.run("r") as run:
        look(Context(), [1])
    call, result = events(run)
    assert call.args["items"] == [1]
    assert result.result == [1, 2]


def test_a_method_is_recorded_without_its_object():
    class Shop:
        @squall.tool(mutates=False)
        def stock(self, item):
            return 3

    with squall.run("r") as run:
        Shop().stock("tea")
    assert (events(run)[0].args, events(run)[0].access) == ({"item": "tea"}, "read")


def test_a_key_can_be_made_from_the_arguments():
    @squall.tool(mutates=True, idempotency_key=lambda order, **_: f"refund-{order}")
    def refund(order, amount):
        return None

    with squall.run("r") as run:
        refund("o1", amount=5)
    assert events(run)[0].key == "refund-o1"


def test_a_key_that_the_tool_does_not_have_is_told_at_once():
    with pytest.raises(squall.UsageError, match="did you mean 'token'"):

        @squall.tool(idempotency_key="tokn")
        def pay_again(to, token):
            return None


def test_what_is_no_function_is_told():
    with pytest.raises(squall.UsageError, match="no function"):
        squall.tool("pay")  # type: ignore[call-overload]  # that is the point  # what is wrong is the point
