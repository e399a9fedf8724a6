"""An error that the test expects has left the agent: nothing about it was hidden."""

from __future__ import annotations

import pytest

from squall.pytest_plugin.checking.expected import in_words

TOOLS = '''
class Refused(Exception):
    pass


def broken(name, arguments):
    return "Error: the database is locked"


def strict(script):
    """Raises where a tool fails."""
    def tool(name, arguments):
        result = broken(name, arguments)
        raise Refused(result)
    return agent(script, tool=tool)


def wrapping(script):
    try:
        return strict(script)
    except Refused as error:
        raise RuntimeError("no refund") from error
'''
CAUGHT = {
    "pytest.raises": """
def test_it():
    with pytest.raises(Exception, match="busy"):
        agent([500])
""",
    "pytest.raises with a function": """
def test_it():
    pytest.raises(Exception, agent, [500])
""",
    "a group": """
def test_it():
    with pytest.RaisesGroup(openai.InternalServerError):
        try:
            agent([500])
        except Exception as error:
            raise ExceptionGroup("all of it", [error])
""",
    "assertRaises": """
class TestIt(unittest.TestCase):
    def test_it(self):
        with self.assertRaises(openai.InternalServerError):
            agent([500])
""",
    "wrapped": """
def test_it():
    with pytest.raises(RuntimeError):
        try:
            agent([500])
        except Exception as error:
            raise RuntimeError("no answer") from error
""",
    "a loop inside": """
def test_it():
    with pytest.raises(Exception):
        asyncio.run(aagent([500]))
""",
    "async": """
@pytest.mark.asyncio
async def test_it():
    with pytest.raises(Exception):
        await aagent([500])
""",
    "a tool's": """
def test_it():
    with pytest.raises(RuntimeError):
        wrapping([call("refund", order="7"), say("Refunded.")])
""",
}


@pytest.mark.parametrize("how", CAUGHT)
def test_an_error_that_the_test_catches_fails_nothing(suite, report, how):
    done = suite(TOOLS + CAUGHT[how], report.option)
    assert done.counts == {"passed": 1}, done.text
    assert report.fired == {"test_it": []}


def test_the_same_error_fails_a_test_whose_agent_goes_on_as_if_nothing_had_been(suite):
    done = suite("""
def careless():
    try:
        return agent([500])
    except Exception:
        return agent(FINE[1:], client=client_of([500])) if False else "All is well."

def test_it():
    assert careless() == "All is well."
""")
    assert done.counts == {"failed": 1}
    assert "unrecovered_model_error" in done.line("FAILED")


def test_a_tools_error_that_nobody_tells_of_fails_the_test(suite):
    done = suite(
        TOOLS
        + """
def test_it():
    assert "Refunded" in agent([call("refund", order="7"), say("Refunded.")], tool=broken)
"""
    )
    assert done.counts == {"failed": 1}
    assert "unrecovered_tool_error" in done.line("FAILED")


def test_an_error_that_ends_the_test_is_told_once_by_the_test_itself(suite):
    done = suite("""
def test_it():
    agent([500])
""")
    assert done.counts == {"failed": 1}
    assert "InternalServerError" in done.line("FAILED")
    assert "squall: checks" not in done.text


def test_an_error_is_told_with_its_causes_and_once_where_they_go_round():
    first, second = ValueError("a"), KeyError("b")
    second.__cause__ = first
    assert in_words(second) == "KeyError: 'b', from ValueError: a"
    first.__cause__ = second
    assert in_words(second) == "KeyError: 'b', from ValueError: a"


def test_what_catches_errors_is_as_it_was_when_the_session_is_over(suite):
    import _pytest.raises

    before = _pytest.raises.RaisesExc.__exit__
    suite("def test_it(): pass")
    assert _pytest.raises.RaisesExc.__exit__ is before
