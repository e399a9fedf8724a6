from __future__ import annotations

import re
import shlex

import pytest

CODE = """
    import pytest, squall
    pytestmark = [pytest.mark.world("shop.yaml"), pytest.mark.runs(12), pytest.mark.min_pass_rate(0.95)]
    FAULTS = {"payments.issue_refund": {"errors": {"timeout": 0.8}}}

    def refund(tools, again):
        try:
            tools.issue_refund(order="1", amount=1)
        except TimeoutError:
            again and tools.issue_refund(order="1", amount=1)

    @pytest.mark.faults(FAULTS)
    @pytest.mark.parametrize("again", [True, False], ids=["buggy", "repaired"])
    def test_refund(world, tools, again):
        squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
        try:
            refund(tools, again)
        except TimeoutError:
            pass
"""


def lines(done, start):
    found = done.text.splitlines()
    at = next(number for number, line in enumerate(found) if line.startswith(start))
    return found[at:]


def test_a_table_of_groups_with_rate_interval_and_verdict(session, shop):
    table = lines(session(CODE, "--squall-seed=7", "-W", "ignore"), "group  ")
    assert table[0].split("  ")[0] == "group"
    buggy, repaired = table[1], table[2]
    assert buggy.startswith("test_it.py::test_refund[buggy]")
    assert buggy.endswith("95 %  failed")
    assert repaired.split() == [
        "test_it.py::test_refund[repaired]", "12/12", "100", "%", "76", "–", "100", "%", "10/12", "95", "%", "passed",
    ]  # fmt: skip


def test_the_seed_in_force_is_printed(session, shop):
    done = session(CODE, "--squall-seed=7", "-W", "ignore")
    assert done.line("squall: seed") == "squall: seed 7"
    assert "squall: 2 groups, seed 7" in done.text
    unset = session(CODE, "-W", "ignore")
    assert "squall: 2 groups, seed 5" in unset.text  # the world's own
    assert unset.line("squall: the seed") == (
        "squall: the seed of each world's file, 0 where it has none (--squall-seed=N sets one for all)"
    )


def test_a_session_that_does_not_use_squall_is_told_nothing_of_it(session):
    assert "squall:" not in session("def test_plain(): pass").text


def test_the_line_under_a_run_runs_just_that_run_again(session, shop):
    first = session(CODE, "--squall-seed=7", "--runs=30", "-W", "ignore")
    (command,) = (line for line in first.text.splitlines() if "[buggy-run6]" in line)
    words = shlex.split(command)
    assert words[0] == "pytest"
    assert words[2:] == ["--squall-seed=7", "--runs=30"]
    again = session(None, *words[1:], "-W", "ignore")
    assert again.counts == {"failed": 1}
    assert "gate: 0 of 1 runs passed, required 95 %" in again.text
    assert "\n  run 6 failed: issue_refund!timeout(after) → issue_refund\n" in again.text
    assert again.line(command) == command


def test_one_run_that_violates_a_property_is_told_as_the_proof_that_it_is_although_the_gate_passes(session, shop):
    lenient = CODE.replace("min_pass_rate(0.95)", "min_pass_rate(0.05)").replace('"timeout": 0.8', '"timeout": 0.5')
    done = session(lenient, "--squall-seed=7", "-W", "ignore")
    assert done.counts == {"passed": 2}
    found = lines(done, "test_it.py::test_refund[buggy] passed, and yet violated at_most_once. One run")
    assert not any("[repaired]" in line for line in found)
    again = next(line for line in found if line.startswith("    pytest "))
    alone = session(None, *shlex.split(again)[1:], "-W", "ignore")
    assert "AssertionError: at most one refund per order, but '1' has 2" in alone.text


def test_ids_can_be_typed_where_pytest_was_started(session, shop, pytester, monkeypatch):
    folder = pytester.mkdir("deep")
    (folder / "test_deep.py").write_text("import pytest\n@pytest.mark.min_pass_rate(1)\ndef test_it(): assert 0\n")
    monkeypatch.chdir(folder)
    done = session(None, "test_deep.py", "--rootdir", str(pytester.path), "-o", f"cache_dir={folder}")
    assert '\n    pytest "test_deep.py::test_it[run0]" --squall-seed=0' in done.text


def test_runs_without_a_gate_are_in_the_table_in_pytests_words(session):
    code = """
        import pytest

        @pytest.mark.runs(4)
        def test_runs(request):
            index = request.node.callspec.indices["_squall_run"]
            index == 2 and pytest.skip("no key")
            index == 3 and pytest.xfail("bug 7")
            assert index != 1, "planted"

        @pytest.mark.runs(2)
        def test_good(): pass

        @pytest.mark.runs(1)
        def test_single(): assert 0
    """
    done = session(code)
    assert done.counts == {"passed": 3, "failed": 2, "skipped": 1, "xfailed": 1}
    assert done.line("test_it.py::test_runs ").endswith("      –         –  1 failed, 1 passed, 1 skipped, 1 xfailed")
    assert done.line("test_it.py::test_good ").endswith("      –         –  2 passed")
    assert "\ntest_it.py::test_single " not in done.text
    told = done.text[done.text.index("= squall: ") :]
    assert (
        '\n\ntest_it.py::test_runs: run 1 failed\n  pytest "test_it.py::test_runs[run1]" --squall-seed=0\n'
    ) in told  # pytest has told the rest
    assert "planted" not in told.partition("short test summary")[0]


def test_a_group_that_was_skipped_has_no_rate(session):
    code = """
        import pytest

        @pytest.mark.runs(3)
        @pytest.mark.min_pass_rate(0.5)
        @pytest.mark.skip(reason="later")
        def test_it(): pass
    """
    line = session(code).line("test_it.py::test_it ")
    assert line.split() == ["test_it.py::test_it", "–", "–", "–", "–", "50", "%", "skipped"]


def test_the_table_says_in_how_many_runs_a_fault_fired(session, shop):
    code = """
        import pytest
        pytestmark = [pytest.mark.world("shop.yaml"), pytest.mark.runs(2), pytest.mark.min_pass_rate(1)]

        @pytest.mark.faults([{"target": "orders.get_order", "kind": "http_503", "nth": 1}])
        def test_weather(tools):
            for _ in range(2):
                try: tools.get_order(id="1")
                except Exception: pass

        def test_calm(tools): tools.get_order(id="1")

        @pytest.mark.faults({"default": {"latency_ms": 20}})
        def test_slow(tools): tools.get_order(id="1")
    """
    done = session(code)
    assert done.line("group").split("  ")[-3:] == ["faults", "required", "verdict"]
    cells = {name: done.line(f"test_it.py::test_{name}").split()[8] for name in ("weather", "calm", "slow")}
    assert cells == {"weather": "2/2", "calm": "–", "slow": "–"}


NARROW = """
    import pytest

    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(0.5)
    class TestAnAgentThatIsRatherLongWinded:
        @pytest.mark.parametrize("case", ["one-of-several-long-winded-parameters", "x"])
        def test_it_confirms_exactly_once(self, case): assert case == "x"
"""


def test_where_it_is_too_wide_for_the_terminal_ids_have_lines_of_their_own(session, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = session(NARROW)
    table = done.text[done.text.index("= squall: ") :].splitlines()[1:7]
    assert table == [
        "group",
        "  passed   rate  95 % interval  faults  required  verdict",
        "test_it.py::TestAnAgentTha…s_exactly_once[one-of-several-long-winded-parameters]",
        "     0/2    0 %       0 – 66 %       –      50 %  failed",
        "test_it.py::TestAnAgentThatIsRatherLongWinded::test_it_confirms_exactly_once[x]",
        "     2/2  100 %     34 – 100 %       –      50 %  passed",
    ]
    assert "[one-of-several-long-winded-parameters-run0]" in done.text  # in the line that runs it again, in full


@pytest.mark.parametrize("how", ["-v", "-q", "-s"])
def test_the_title_is_followed_by_the_table_at_once(session, how):
    assert re.search(r"\n=+ squall: 2 groups, seed 0 =+\ngroup\n  passed ", session(NARROW, how).text)


def test_the_title_and_the_verdicts_have_pytests_colours(session):
    coloured, plain = session(NARROW, "--color=yes").text, session(NARROW, "--color=no").text
    assert re.search(r"\x1b\[36m\x1b\[1m=+ squall: 2 groups, seed 0 =+\x1b\[0m\n", coloured)
    assert "50 %  \x1b[31mfailed\x1b[0m\n" in coloured
    assert "50 %  \x1b[32mpassed\x1b[0m\n" in coloured
    assert "  required  verdict\n" in coloured
    assert "\x1b" not in plain


def test_a_session_without_groups_has_no_table(session):
    assert "squall: 1 group" not in session("def test_it(): pass").text
    assert "group  " not in session("def test_it(trace): assert 0").text
