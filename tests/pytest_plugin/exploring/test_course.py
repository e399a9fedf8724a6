"""An explored test is one result, which says what was tried and what failed."""

from __future__ import annotations

import json

import pytest

TWICE = """
import pytest, squall
from explored_agents import agent, careful

@pytest.mark.world("shop.yaml")
@pytest.mark.explore(kinds=["timeout", "http_503"])
def test_refund(tools, world):
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    agent(tools)
"""


def kept(folder):
    return sorted((folder / ".squall" / "regressions").glob("*.json"))


def test_a_bug_under_one_fault_fails_the_test_once_with_the_smallest_schedule_and_its_picture(session):
    done = session(TWICE)
    assert done.counts == {"failed": 1}
    assert "under timeout (after) at payments.issue_refund" in done.text
    assert "It takes this fault: without it this does not happen." in done.text
    assert "at most one refund per order, but '1' has 2" in done.text
    assert "refund 2 inserted, the same as 1" in done.text
    assert "Every single fault (5) of the kinds timeout, http_503: 1 failure." in done.text
    assert [len(line) for line in done.text.splitlines() if "│" in line and len(line) > 80] == []
    (case,) = done.junit
    assert [child.tag for child in case] == ["properties", "failure"]


def test_the_failure_is_kept_as_a_file_and_the_line_that_replays_it_is_told(session):
    done = session(TWICE)
    (file,) = kept(done.folder)
    found = json.loads(file.read_text())
    assert found["test"] == "test_it.py::test_refund"
    assert found["how"] == f'pytest "test_it.py::test_refund" --squall-replay .squall/regressions/{file.name}'
    assert found["how"] in done.text
    assert set(found["digests"]) == {"test", "world", "tools"}


def test_a_failure_that_does_not_show_again_is_told_so_without_a_file_or_the_picture_of_another_run(session):
    code = """
        import itertools
        import pytest, squall

        NUMBERS = itertools.count()

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools):
            number = next(NUMBERS)
            try:
                tools.issue_refund(order="1", amount=40)
            except TimeoutError:
                if number == 2:
                    raise RuntimeError("by chance")
    """
    done = session(code)
    assert done.counts == {"failed": 1}
    assert "Run once more under the same faults this did not happen" in done.text
    assert "without it this does not happen" not in done.text
    assert "the run ends: passed" not in done.text
    assert not kept(done.folder)


def test_what_a_run_leaves_behind_for_later_ones_is_noticed_after_two_equal_runs_without_faults(session):
    code = """
        import pytest, squall

        OPEN = []

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout", "http_503"])
        def test_refund(tools):
            if OPEN:
                return
            try:
                tools.issue_refund(order="1", amount=40)
            except Exception:
                OPEN.append(1)
    """
    done = session(code)
    assert "20 % of single faults (1 of 5)" in done.text
    assert "A run went another way before it met its fault" in " ".join(done.text.split())


NOTHING_TRIED = """
    import itertools
    import pytest

    NUMBERS = itertools.count()

    @pytest.mark.world("shop.yaml")
    @pytest.mark.explore(kinds=["timeout"], targets=["paymnts.*"])
    def test_no_such_target(tools):
        tools.issue_refund(order="1", amount=40)

    @pytest.mark.world("shop.yaml")
    @pytest.mark.explore(kinds=["timeout"])
    def test_other_arguments_each_time(tools):
        tools.issue_refund(order=str(next(NUMBERS)), amount=40)

    @pytest.mark.world("shop.yaml")
    @pytest.mark.explore(kinds=["timeout"])
    def test_skips_itself(tools):
        try:
            tools.issue_refund(order="1", amount=40)
        except TimeoutError:
            pytest.skip("not in this weather")

    @pytest.mark.world("shop.yaml")
    def test_nobody_asked_for_it(tools):
        tools.issue_refund(order=str(next(NUMBERS)), amount=40)

    @pytest.mark.world("shop.yaml")
    @pytest.mark.explore(kinds=["stale_read"])
    def test_has_no_place_for_it(tools):
        tools.issue_refund(order="1", amount=40)
"""


def test_a_marked_test_under_which_no_fault_has_happened_does_not_pass_and_says_why(session):
    done = session(NOTHING_TRIED, "--squall-explore")
    assert done.counts == {"failed": 3, "passed": 2}
    failed = [line.split()[1] for line in done.text.splitlines() if line.startswith("FAILED")]
    assert failed == [
        "test_it.py::test_no_such_target",
        "test_it.py::test_other_arguments_each_time",
        "test_it.py::test_skips_itself",
    ]
    assert done.text.count("E   mark.explore: no fault has happened in any run, so nothing was explored\n") == 3
    assert "Nothing that could happen matches 'paymnts.*': did you mean 'payments.*'?" in done.text
    assert "payments.issue_refund, had other arguments each time (order)" in " ".join(done.text.split())
    assert "never fired, and calls have other arguments in each run (order): no failure." in " ".join(done.text.split())
    assert "In 3 runs the test skipped itself, which counts as a fault that never fired." in " ".join(done.text.split())


def test_of_several_runs_in_one_test_it_is_said_that_the_first_is_explored(session):
    code = """
        import pytest, squall

        @pytest.mark.explore(kinds=["timeout"], crashes=False)
        @pytest.mark.parametrize("runs", [1, 3])
        def test_refund(runs):
            for number in range(runs):
                with squall.world("shop.yaml") as run:
                    try:
                        run.tools.issue_refund(order="1", amount=40)
                    except TimeoutError:
                        pass

        @pytest.fixture(scope="module")
        def apart():
            with squall.world("shop.yaml") as run:
                yield run

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"], crashes=False)
        def test_beside_a_wider_fixture(tools, apart):
            try:
                tools.issue_refund(order="1", amount=40)
            except TimeoutError:
                pass
    """
    done = session(code)
    assert done.counts == {"passed": 3}
    assert done.text.count("The test begins ") == 1
    assert "The test begins 3 runs of squall's: the first is explored, and the claim is about that one." in done.text


def test_words_that_no_file_can_hold_end_no_session(session):
    code = """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools):
            try:
                tools.issue_refund(order="1", amount=40)
            except TimeoutError:
                raise RuntimeError("half a \\ud83d smile") from None

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_parts(tools, subtests):
            with subtests.test("refund"):
                try:
                    tools.issue_refund(order="1", amount=40)
                except TimeoutError:
                    raise RuntimeError("half a \\ud83d smile") from None
    """
    done = session(code)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert [json.loads(file.read_text())["message"][-19:] for file in kept(done.folder)] == ["half a \\ud83d smile"] * 2


def test_nothing_is_written_where_that_is_not_wanted(session):
    done = session(TWICE, "--squall-no-write")
    assert done.counts == {"failed": 1}
    assert kept(done.folder) == []
    assert "--squall-no-write" in done.text


def test_an_agent_that_copes_passes_and_the_summary_says_what_was_covered(session):
    done = session(TWICE.replace("agent(tools)", "careful(tools)"))
    assert done.counts == {"passed": 1}
    assert "squall: 1 test explored, no failure, " in done.text
    assert "Every single fault (7) of the kinds timeout, http_503: no failure." in done.text
    assert kept(done.folder) == []


def test_the_option_explores_what_uses_squall_and_leaves_other_tests_alone(session):
    done = session(
        """
        import pytest
        from explored_agents import agent
        RUNS = []

        @pytest.mark.world("shop.yaml")
        @pytest.mark.runs(3)
        @pytest.mark.faults({"payments.issue_refund": {"errors": {"timeout": 1.0}}})
        def test_refund(tools, world):
            RUNS.append(1)
            agent(tools)
            assert len(world.refunds) < 2

        def test_plain():
            assert len(RUNS) > 5
        """,
        "--squall-explore",
    )
    assert done.counts == {"failed": 1, "passed": 1}
    assert "Every single fault (" in done.text


def test_the_options_depth_is_no_path_and_goes_before_the_markers(session):
    done = session(TWICE, "--squall-explore", "test_it.py")
    assert done.counts == {"failed": 1}
    deeper = session(None, "--squall-explore=2")
    assert "pairs" in deeper.text
    wrong = session(None, "--squall-explore=0")
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    assert "--squall-explore=0: a depth is the number of faults that a run may have" in wrong.text


def test_fixtures_are_new_for_each_run_but_those_of_a_wider_scope(session):
    done = session(
        """
        import pytest
        from explored_agents import careful
        MADE = []

        @pytest.fixture(scope="module")
        def wide():
            MADE.append("wide")
            yield
            MADE.append("wide is gone")

        @pytest.fixture
        def fresh():
            MADE.append("fresh")
            yield []
            MADE.append("fresh is gone")

        class TestClass:
            @pytest.mark.world("shop.yaml")
            @pytest.mark.explore
            def test_it(self, wide, fresh, tools):
                assert not fresh and not hasattr(self, "seen")
                fresh.append(1)
                self.seen = True
                careful(tools)

        def test_after(wide):
            assert MADE.count("wide") == 1 and "wide is gone" not in MADE
            assert MADE.count("fresh") == MADE.count("fresh is gone") > 10

        @pytest.fixture(scope="module")
        def other(): pass
        """
    )
    assert done.counts == {"passed": 2}


@pytest.mark.parametrize("mark", ["asyncio", "anyio"])
def test_async_tests_are_explored(session, mark):
    done = session(
        f"""
        import pytest, squall

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @pytest.mark.{mark}
        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        async def test_refund(tools, world):
            for _ in range(3):
                try:
                    await tools.aio.issue_refund(order="1", amount=40)
                    break
                except TimeoutError:
                    continue
            squall.at_most_once(world.refunds, by="order")
        """,
        plugins=("anyio",),
    )
    assert done.counts == {"failed": 1}
    assert "under timeout (after) at payments.issue_refund" in done.text


def test_a_test_of_unittest_is_explored_on_a_fresh_instance_each_time(session):
    done = session(
        """
        import pytest, unittest, squall
        from explored_agents import agent

        @pytest.mark.world("shop.yaml")
        class TestRefund(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def given(self, tools, world):
                self.tools, self.world = tools, world

            @pytest.mark.explore(kinds=["timeout"])
            def test_refund(self):
                assert not hasattr(self, "seen")
                self.seen = True
                agent(self.tools)
                squall.at_most_once(self.world.refunds, by="order")
        """
    )
    assert done.counts == {"failed": 1}
    assert "under timeout (after) at payments.issue_refund" in done.text
    assert "at most one refund per order" in done.text


def test_requests_to_the_model_are_explored(session):
    done = session(
        """
        import httpx, pytest
        from squall.models import say

        @pytest.mark.explore(kinds=["http_503", "empty_content"])
        def test_ask(model):
            model.script(say("hello"))
            answer = httpx.post(model.openai_base_url + "/chat/completions", headers={"authorization": "Bearer x"},
                                json={"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]})
            assert answer.status_code != 200 or answer.json()["choices"][0]["message"]["content"]
        """
    )
    assert done.counts == {"failed": 1}
    assert "under empty_content" in done.text
    assert "Every single fault (2)" in done.text


def test_a_run_that_the_test_builds_itself_is_explored(session):
    done = session(
        """
        import pytest, squall
        from explored_agents import agent

        @pytest.mark.explore(kinds=["timeout"])
        def test_refund():
            with squall.world("shop.yaml") as run:
                agent(run.tools)
            squall.at_most_once(run.world.refunds, by="order")
        """
    )
    assert done.counts == {"failed": 1}
    assert "under timeout (after) at payments.issue_refund" in done.text


def test_a_test_that_builds_no_run_cannot_be_explored_and_is_told_so(session):
    done = session(
        """
        import pytest

        @pytest.mark.explore
        def test_nothing():
            assert True

        @pytest.mark.explore
        def test_broken():
            assert 1 == 2
        """
    )
    assert done.counts == {"failed": 2}
    assert "this test has built no run of squall's" in done.text
    assert "assert 1 == 2" in done.text


def test_a_test_that_fails_without_a_fault_fails_as_usual_and_nothing_is_explored(session):
    done = session(
        """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore
        def test_wrong(tools):
            tools.issue_refund(order="1", amount=40)
            assert 1 == 2

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore
        def test_skipped(tools):
            pytest.skip("not today")

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore
        @pytest.mark.xfail(reason="known")
        def test_known(tools):
            assert 1 == 2
        """
    )
    assert done.counts == {"failed": 1, "skipped": 1, "xfailed": 1}
    assert "squall: nothing was explored" in done.text
    assert "It was skipped." in done.text
    assert "The test fails without any fault, so nothing was explored." in done.text
    assert kept(done.folder) == []


def test_a_failure_that_is_expected_is_one(session):
    strict = "@pytest.mark.xfail(strict=True, reason='twice')"
    code = TWICE.replace("@pytest.mark.explore", f"{strict}\n@pytest.mark.explore")
    assert session(code).counts == {"xfailed": 1}
    assert session(code.replace("agent(tools)", "careful(tools)")).counts == {"failed": 1}


def test_an_agent_that_never_gives_up_is_reported_as_hung(session):
    done = session(
        """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["http_503"])
        def test_refund(tools):
            first = True
            while True:
                try:
                    if first:
                        tools.issue_refund(order="1", amount=40)
                        return
                    tools.list_refunds(order="nobody")
                except Exception:
                    first = False
        """
    )
    assert done.counts == {"failed": 1}
    assert "the run ends: hung" in done.text
    assert "under http_503 (before) at payments.issue_refund" in done.text


def test_a_crash_of_the_agent_is_a_failure_unless_it_may_crash(session):
    code = """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools, world):
            tools.issue_refund(order="1", amount=40)
            assert len(world.refunds) == 1
        """
    done = session(code)
    assert done.counts == {"failed": 1}
    assert "under timeout" in done.text
    assert session(code.replace('"timeout"]', '"timeout"], crashes=False')).counts == {"passed": 1}


def test_where_an_agent_may_crash_all_that_the_test_asserts_counts(session):
    done = session(
        """
        import pytest, squall
        may_crash = pytest.mark.explore(kinds=["timeout"], crashes=False)

        def pay(tools):
            tools.issue_refund(order="1", amount=40)

        @pytest.fixture
        def paid(world):
            yield
            assert len(world.refunds) == 1, "a fixture asks"

        @may_crash
        @pytest.mark.world("shop.yaml")
        def test_fixture(tools, paid):
            pay(tools)

        @may_crash
        @pytest.mark.world("shop.yaml")
        def test_property_that_breaks(tools, world):
            squall.finally_(lambda: list(world.refunds)[0])
            pay(tools)

        @may_crash
        def test_after_the_run():
            try:
                with squall.world("shop.yaml") as run:
                    pay(run.tools)
            except TimeoutError:
                pass
            assert len(run.world.refunds) == 1, "the body asks"

        @may_crash
        @pytest.mark.world("shop.yaml")
        def test_all_is_well(tools, world):
            squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
            pay(tools)

        @pytest.mark.explore(kinds=["timeout"])
        def test_expects_the_crash():
            try:
                with squall.world("shop.yaml") as run:
                    pay(run.tools)
            except TimeoutError:
                pass
            assert len(run.world.refunds) <= 1
        """
    )
    assert done.counts == {"failed": 3, "passed": 2, "errors": 1}  # a crash, and then an error of the fixture
    under = "under timeout (before) at payments.issue_refund"
    for name, said in (
        ("fixture", "a fixture asks"),
        ("property_that_breaks", "list index"),
        ("after_the_run", "Asse"),
    ):
        assert f"test_it.py::test_{name} - {under}: {said}" in done.text  # and not that the agent crashed, too


def test_two_failures_of_one_test_are_both_told(session):
    done = session(
        """
        import pytest, squall
        from explored_agents import agent

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout", "duplicate_delivery"])
        def test_refund(tools, world):
            seen = agent(tools)
            assert seen is not None
            assert len(world.refunds) < 2 or tools.list_refunds(order="1") == 3
            try:
                tools.list_refunds(order="2")
            except TimeoutError:
                raise KeyError("no list")
        """
    )
    assert done.counts == {"failed": 1}
    assert "2. KeyError at test_it.py" in done.text
    assert len(kept(done.folder)) == 2


def test_of_many_failures_those_beyond_the_first_few_are_named_with_the_line_that_replays_each(session):
    done = session(
        """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools):
            for error in (KeyError, IndexError, ValueError, TypeError, NameError, EOFError, OSError):
                try:
                    tools.list_refunds(order=error.__name__)
                except TimeoutError:
                    raise error("no list")
        """
    )
    assert done.counts == {"failed": 1}
    briefly = done.text[done.text.index("and 2 more failures:") :].splitlines()
    assert [line.split(" at ")[0] for line in briefly[1:6:3]] == ["  EOFError", "  OSError"]
    assert [line.strip() for line in briefly[2:6:3]] == [
        f"under timeout (after) at the {number} call of payments.list_refunds" for number in ("6th", "7th")
    ]
    assert ["--squall-replay" in line for line in briefly[3:7:3]] == [True, True]


def test_state_of_wider_fixtures_that_changes_the_run_is_named(session):
    done = session(
        """
        import pytest
        from explored_agents import careful

        @pytest.fixture(scope="module")
        def calls():
            return []

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools, calls):
            calls.append(1)
            for _ in calls[:3]:
                careful(tools)
        """
    )
    assert done.counts == {"passed": 1}
    assert "Two runs without faults differ" in done.text
    assert "Fixtures of a wider scope keep their state from run to run: calls (module)." in done.text


def test_a_test_whose_state_outlives_its_run_and_fails_by_itself_is_told_so(session):
    done = session(
        """
        import pytest
        SEEN = []

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"], crashes=False)
        def test_refund(tools):
            tools.issue_refund(order="1", amount=40)
            SEEN.append(1)
            assert len(SEEN) != 2
        """
    )
    assert done.counts == {"failed": 1}
    assert "It needs no fault: of two runs without one, this one failed." in done.text


def test_a_world_that_no_run_changes_is_remarked(session):
    done = session(
        """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["http_503"])
        def test_refund(tools):
            try:
                tools.list_refunds(order="1")
            except Exception:
                pass
        """
    )
    assert done.counts == {"passed": 1}
    assert "No run changed anything in the world: a write that happens twice could not have shown." in done.text


def test_the_run_that_is_shown_is_that_of_the_schedule_that_is_told(session):
    done = session(
        """
        import pytest, squall

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore
        def test_refund(tools, world):
            for _ in range(2):
                try:
                    tools.issue_refund(order="1", amount=40)
                    break
                except TimeoutError:
                    continue
            squall.at_most_once(world.refunds, by="order")
        """
    )
    schedules = [line.split(" ")[1:3] for line in done.text.splitlines() if line.startswith("under ")]
    assert schedules[0] == ["timeout", "(after)"]
    assert len(schedules) > 2  # others, at whose shrinking the first failure shows again, by another fault
    assert done.text.split("- squall trace -")[1].splitlines()[1] == "issue_refund!timeout(after) → issue_refund"


def test_what_should_sometimes_be_true_and_never_was_is_told(session):
    done = session(
        """
        import pytest, squall
        from explored_agents import careful

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["http_503"])
        def test_refund(tools):
            careful(tools)
            squall.sometimes("paid twice", False)
        """
    )
    assert "'paid twice' was never true in any run." in done.text


def test_what_a_run_leaves_in_the_item_reaches_no_other_run(session):
    done = session(
        """
        import pytest, warnings
        from explored_agents import careful

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools, request, record_property):
            assert request.node.get_closest_marker("added") is None
            request.node.add_marker("added")
            record_property("said", "once")
            print("printed")
            warnings.warn("told by each run", UserWarning)
            careful(tools)
        """,
        "--strict-markers",
        "-o",
        "markers=added",
        "-o",
        "junit_family=xunit1",
        "-rP",
        "-W",
        "default",
    )
    assert done.counts == {"passed": 1, "warnings": 1}
    assert done.text.count("printed") == 1
    (case,) = done.junit
    assert [each.get("name") for each in case.iter("property")] == ["said", "squall.explored"]


def test_an_explored_test_asks_for_no_rate_besides(session):
    code = """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore
        @pytest.mark.min_pass_rate(0.9)
        def test_refund(tools):
            pass
        """
    done = session(code)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "has mark.explore and mark.min_pass_rate: it is one or the other" in done.text


ASKED = """
import httpx, pytest
from squall.models import say

MARK
@pytest.mark.explore(kinds=["empty_content", "http_503"])
def test_ask(model):
    model.script(say("hello"))
    httpx.post(model.openai_base_url + "/chat/completions", headers={"authorization": "Bearer x"},
               json={"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]})
"""


def test_a_check_that_fires_under_a_fault_is_a_failure_and_gives_it_its_name(session):
    done = session(ASKED.replace("MARK", "@pytest.mark.checks"))
    assert done.counts == {"failed": 1}
    assert "2. check:" in done.text
    assert done.text.count("the run ends: failed") == 2
    assert {json.loads(file.read_text())["violated"] for file in kept(done.folder)} == {
        "check:no_answer",
        "check:unrecovered_model_error",
    }
    assert session(ASKED.replace("MARK", ""), "--squall=off").counts == {"passed": 1}


def test_a_check_that_fires_is_told_of_once_in_the_report_of_checks(session):
    done = session(ASKED.replace("MARK", "@pytest.mark.checks"), "--squall-json=checks.json")
    report = json.loads((done.folder / "checks.json").read_text())
    assert len(report["runs"]) == 1


TWO_FAULTS = """
import pytest, squall

def agent(tools, clock):
    try:
        tools.issue_refund(order="1", amount=40)
    except TimeoutError:
        clock.advance(600)  # what comes late has landed
        try:
            rows = tools.list_refunds(order="1")
        except Exception:
            rows = []
        if not rows:
            tools.issue_refund(order="1", amount=40)

@pytest.mark.world("shop.yaml")
@pytest.mark.explore(DEPTH, kinds=["timeout", "http_503"], crashes=False)
def test_refund(tools, world, clock):
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    agent(tools, clock)
"""


def test_a_bug_of_two_faults_whose_second_strikes_a_call_of_the_recovery_takes_depth_two(session):
    single = session(TWO_FAULTS.replace("DEPTH", "1"))
    assert single.counts == {"passed": 1}
    assert "Calls that only recovering makes: payments.issue_refund, payments.list_refunds." in single.text
    pairs = session(TWO_FAULTS.replace("DEPTH", "2"))
    assert pairs.counts == {"failed": 1}
    assert "under timeout (after) at payments.issue_refund, then " in pairs.text
    assert "It takes all of its faults: without any one of them this does not happen." in pairs.text
    (file,) = kept(pairs.folder)
    assert [each["target"] for each in json.loads(file.read_text())["schedule"]] == [
        "payments.issue_refund",
        "payments.list_refunds",
    ]


def test_a_test_that_means_its_own_faults_is_run_with_them_under_the_option(session):
    code = """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.faults({"payments.issue_refund": {"errors": {"timeout": 1.0}}})
        MARK
        def test_refund(tools):
            with pytest.raises(TimeoutError):
                tools.issue_refund(order="1", amount=40)
        """
    done = session(code.replace("MARK", ""), "--squall-explore")
    assert done.counts == {"passed": 1}
    assert "It fails without the faults that it names itself, so it was run with them, and not explored." in done.text
    marked = session(code.replace("MARK", "@pytest.mark.explore"))
    assert marked.counts == {"failed": 1}
    assert "Its mark.faults is not in force while it is explored." in marked.text
