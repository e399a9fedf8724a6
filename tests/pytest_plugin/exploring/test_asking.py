"""What a marker asks for is checked before anything runs, with the nearest valid name."""

from __future__ import annotations

import pytest

TEST = """
import pytest

@pytest.mark.world("shop.yaml")
@pytest.mark.explore(ARGUMENTS)
def test_refund(tools):
    pass
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("depht=2", "test_it.py:4:9: mark.explore has no argument 'depht'; did you mean 'depth'?"),
        ("0", "mark.explore: depth is how many faults a run may have, from 1 on, not 0"),
        ("True", "mark.explore: depth is how many faults a run may have, from 1 on, not True"),
        ("1, 2", "mark.explore takes one value without a name, its depth"),
        ('kinds="timeout"', "mark.explore: kinds is a list of kinds of faults, not 'timeout'"),
        ('kinds=["timout"]', "unknown kind of fault 'timout'; did you mean 'timeout'?"),
        ("targets=[1]", "mark.explore: targets is a list of targets, not [1]"),
        ("budget=0", "mark.explore: budget is the number of runs that it may take, not 0"),
        ('seconds="5s"', "mark.explore: seconds is the number of seconds that it may take, not '5s'"),
        ("tokens=0", "mark.explore: tokens is the number of tokens that its models may read and write, not 0"),
        ("crashes=0", "mark.explore: crashes is True or False, not 0"),
    ],
)
def test_a_wrong_value_is_a_usage_error_at_the_marker(session, arguments, said):
    done = session(TEST.replace("ARGUMENTS", arguments))
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert said in done.text
    assert "test_it.py:4:9" in done.text


def test_what_is_asked_for_is_what_is_done(session):
    code = TEST.replace("pass", 'tools.list_refunds(order="1")').replace(
        "ARGUMENTS", '2, kinds=["http_503", "timeout"], targets=["*.list_refunds"], budget=1, crashes=False, seconds=60'
    )
    done = session(code)
    assert done.counts == {"passed": 1}
    assert "of the kinds http_503, timeout at *.list_refunds: no failure." in done.text
    assert "Cut short: the budget of 1 runs is used up." in done.text


def test_a_budget_of_tokens_ends_an_exploration(session):
    done = session(
        """
        import openai
        import pytest
        from squall.models import say

        @pytest.mark.explore(2, tokens=100, crashes=False)
        def test_it(model):
            model.script(say("Hello."))
            try:
                openai.OpenAI().chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi " * 30}])
            except Exception:
                pass
        """
    )
    assert "Cut short: the budget of 100 tokens is used up." in done.text


def test_a_server_in_another_process_cannot_be_explored(session):
    code = (
        TEST.replace("ARGUMENTS", "")
        .replace("tools", "mcp_stdio")
        .replace("mark.world", 'mark.clock("wall")\n@pytest.mark.world')
    )
    done = session(code)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "asks for mcp_stdio, whose server is a process of its own: no schedule reaches it" in done.text


def test_markers_of_classes_and_modules_count_and_the_closest_wins(session):
    done = session(
        """
        import pytest
        pytestmark = [pytest.mark.world("shop.yaml"), pytest.mark.explore(kinds=["http_503"])]

        class TestOne:
            @pytest.mark.explore(kinds=["http_429"])
            def test_near(self, tools):
                try:
                    tools.list_refunds(order="1")
                except Exception:
                    pass

            def test_far(self, tools):
                try:
                    tools.list_refunds(order="1")
                except Exception:
                    pass
        """
    )
    assert done.counts == {"passed": 2}
    assert "Every single fault (1) of the kinds http_429" in done.text
    assert "Every single fault (1) of the kinds http_503" in done.text


def test_a_misspelt_marker_is_told(session):
    done = session(TEST.replace("mark.explore(ARGUMENTS)", "mark.explor"), "-W", "default")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "did you mean 'explore'?" in done.text
