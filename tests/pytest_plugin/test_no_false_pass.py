"""A skip or an expected failure hides neither a violated property nor a run that hung."""

from __future__ import annotations

import pytest

HEAD = """
    import unittest

    import pytest
    import squall

    WORLD = pytest.mark.world("shop.yaml")
    HANG = pytest.mark.faults([{"target": "payments.issue_refund", "kind": "hang", "nth": 1}])

    def pay_twice(world):
        for _ in "ab":
            world.refunds.insert(order="1", amount=1)

    def check(world):
        squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))

    def swallow(tools):
        try:
            tools.issue_refund(order="1", amount=1)
        except BaseException:
            pass
"""
VIOLATED = "AssertionError: at most one refund per order"
HUNG = "the run reached its limit, and what the limit raised was swallowed"


@pytest.mark.parametrize("leave", ["pytest.skip('no')", "pytest.xfail('no')"])
@pytest.mark.parametrize(
    "test",
    [
        "def test_it(world): {pay}; check(world); {leave}",
        "def test_it(world): {pay}; squall.finally_(lambda: {leave}); check(world)",
        "def test_it(world): {pay}; check(world); squall.finally_(lambda: {leave})",
    ],
)
def test_a_violation_wins_over_a_test_that_ends_early(session, shop, test, leave):
    gate = "@pytest.mark.runs(2)\n    @pytest.mark.min_pass_rate(0.5)\n"
    lines = [HEAD, "pytestmark = WORLD"]
    for pay in ("pay_twice(world)", "world.refunds.insert(order='1', amount=1)"):
        body = test.format(pay=pay, leave=leave)
        lines += [
            body.replace("_it", f"_single_{len(lines)}"),
            gate + "    " + body.replace("_it", f"_gate_{len(lines)}"),
        ]
    done = session("\n    ".join(lines))
    assert done.counts == {"failed": 2, "skipped" if "skip" in leave else "xfailed": 2}
    assert done.text.count(f"\nE   {VIOLATED}") == 2
    assert "gate: 0 of 2 runs passed, required 50 %" in done.text


@pytest.mark.parametrize("leave", ["pytest.skip('no')", "pytest.xfail('no')", "squall.finally_(lambda: pytest.skip())"])
def test_a_hung_run_wins_over_a_test_that_ends_early(session, shop, leave):
    code = f"""{HEAD}
    @WORLD
    @HANG
    def test_single(tools): swallow(tools); {leave}

    @WORLD
    @HANG
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(0.5)
    def test_gate(tools): swallow(tools); {leave}

    @WORLD
    def test_calm(tools): swallow(tools); {leave}
    """
    done = session(code)
    assert done.counts == {"failed": 2, "xfailed" if "xfail" in leave else "skipped": 1}
    assert f"\n{HUNG}\n" in done.text
    assert "gate: 0 of 2 runs passed (2 hung), required 50 %" in done.text


def test_what_unittest_noted_gives_way_too(session, shop):
    code = f"""{HEAD}
    @WORLD
    class Test(unittest.TestCase):
        @pytest.fixture(autouse=True)
        def given(self, world, tools): self.world, self.tools = world, tools

        def test_skip(self):
            pay_twice(self.world); check(self.world); self.skipTest("no")

        def test_raise(self):
            pay_twice(self.world); check(self.world); raise unittest.SkipTest("no")

        def test_of_pytest(self):
            pay_twice(self.world); check(self.world); pytest.skip("no")

        @HANG
        def test_hung(self): swallow(self.tools); self.skipTest("no")

        def test_fine(self): check(self.world); self.skipTest("no")

        def test_own_failure(self):
            pay_twice(self.world); check(self.world); self.fail("its own")

    @WORLD
    def test_plain_function(world):
        pay_twice(world); check(world); raise unittest.SkipTest("no")

    @WORLD
    def test_plain_and_fine(world): raise unittest.SkipTest("no")
    """
    done = session(code, "-rfs")
    assert done.counts == {"failed": 6, "skipped": 2}
    assert done.text.count(f"\nE   {VIOLATED}") == 4
    assert HUNG in done.text
    assert "FAILED test_it.py::Test::test_own_failure - AssertionError: its own" in done.text


def test_a_skip_in_a_fixture_hides_nothing(session, shop):
    code = f"""{HEAD}
    @pytest.fixture
    def agent(world, request):
        check(world)
        if "twice" in request.node.name: pay_twice(world)
        pytest.skip("no")

    @WORLD
    def test_twice(agent): pass

    @WORLD
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(0.0)
    def test_twice_gated(agent): pass

    @WORLD
    def test_fine(agent): pass
    """
    done = session(code)
    assert done.counts == {"errors": 1, "passed": 1, "skipped": 1}
    assert VIOLATED in done.text


def test_the_marker_xfail_expects_violations(session, shop):
    code = f"""{HEAD}
    @WORLD
    @pytest.mark.xfail(reason="bug 7", strict=True)
    def test_it(world): pay_twice(world); check(world)
    """
    assert session(code).counts == {"xfailed": 1}
