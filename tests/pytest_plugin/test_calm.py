from __future__ import annotations

import pytest

from squall.pytest_plugin.calm import of_group, of_single
from squall.pytest_plugin.record import RunRecord


def runs(count=3, aims=None, **kw):
    kw = {"drawn": True, "fired": 0, "whole": count, **kw}
    return [RunRecord("t.py::test", at, aims=aims or {"shop.pay": 2}, **kw) for at in range(count)]


def test_a_group_that_chance_spared_is_told():
    said = of_group(runs(), 3)
    assert said == (
        "no drawn fault fired in any of the 3 runs, so none was tested: raise the probabilities or the number of runs"
    )


def test_one_run_is_told_to_be_more():
    said = "no drawn fault fired, so none was tested: add @pytest.mark.runs(20), or raise the probability"
    assert of_single({"shop.pay": 1}) == of_group(runs(1), 1) == said


def test_what_was_never_called_is_named_and_no_probability_is_blamed():
    assert of_group(runs(aims={"shop.pay": 0}), 3) == (
        "no drawn fault fired in any of the 3 runs, because shop.pay was never called: "
        "aim the faults at what the agent calls"
    )
    assert of_single(dict.fromkeys(["a.a", "a.b", "a.c", "a.d", "a.e"], 0)).startswith(
        "no drawn fault fired, because a.a, a.b, a.c and 2 more were never called:"
    )


def test_what_was_never_called_is_told_beside_what_was():
    assert of_single({"shop.pay": 1, "shop.cancel": 0}).endswith(
        "or raise the probability (shop.cancel was never called)"
    )


def test_what_one_run_called_was_called():
    one, other = runs(2)
    one.aims, other.aims = {"shop.pay": 0}, {"shop.pay": 1}
    assert "never called" not in (of_group([one, other], 2) or "")


@pytest.mark.parametrize(
    ("group", "size"),
    [
        (runs(fired=1), 3),
        (runs(drawn=False), 3),
        (runs(status="skipped"), 3),
        (runs(), 4),
        (runs(1, whole=20), 1),
    ],
    ids=["fired", "nothing drawn", "all skipped", "not all in", "selected from more"],
)
def test_other_groups_are_not_told(group, size):
    assert of_group(group, size) is None


CODE = """
    import pytest
    pytestmark = pytest.mark.world("shop.yaml")
    RARELY = {"errors": {"timeout": 0.0001}}

    @pytest.mark.faults({"payments.issue_refund": RARELY})
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(1)
    def test_never_called(tools): tools.get_order(id="1")

    @pytest.mark.faults({"orders.get_order": RARELY})
    def test_called(tools): tools.get_order(id="1")

    @pytest.mark.faults({"default": RARELY})
    @pytest.mark.runs(2)
    def test_some(tools): tools.get_order(id="1")

    @pytest.mark.faults({"orders.get_order": {"errors": {"http_503": 1.0}}})
    def test_hit(tools):
        with pytest.raises(Exception): tools.get_order(id="1")
"""


def test_sessions_tell_which_operation_was_never_called(session, shop):
    done = session(CODE, "-W", "default")
    assert done.counts == {"passed": 5, "warnings": 3}
    assert (
        "SquallWarning: test_it.py::test_never_called: no drawn fault fired in any of the 2 runs, because "
        "payments.issue_refund was never called: aim the faults at what the agent calls\n"
    ) in done.text
    assert "test_it.py::test_called: no drawn fault fired, so none was tested: add @pytest.mark.runs(20)" in done.text
    assert "or the number of runs (payments.issue_refund was never called)" in done.text


def test_a_run_that_was_selected_alone_is_not_blamed_for_calm_weather(session, shop):
    done = session(CODE, "test_it.py::test_never_called[run1]", "-W", "error")
    assert done.counts == {"passed": 1}


def test_distributed_runs_tell_the_same(session, shop):
    done = session(CODE, "-n2", "-k", "never_called", "-W", "default", apart=True)
    assert done.text.count("because payments.issue_refund was never called") == 1


def test_drawn_faults_of_models_need_no_world(session):
    code = """
        import pytest

        @pytest.mark.faults({"model.chat": {"errors": {"clean_eof": 0.0001}}})
        def test_asked(model): pass
    """
    done = session(code, "-W", "default")
    assert done.counts == {"passed": 1, "warnings": 1}
    assert "test_it.py::test_asked: no drawn fault fired, so none was tested: add @pytest.mark.runs(20)" in done.text
