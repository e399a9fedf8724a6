from __future__ import annotations

import shlex

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
        "test_it.py::test_refund[repaired]", "12/12", "100", "%", "76", "–", "100", "%", "95", "%", "passed",
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


def test_under_a_failed_group_its_first_five_bad_runs(session, shop):
    done = session(CODE, "--squall-seed=7", "-W", "ignore")
    told = lines(done, "test_it.py::test_refund[buggy]")[3:]
    runs = [line for line in told if line.startswith("  run ")]
    assert len(runs) == 5
    assert all(": issue_refund!timeout(after)" in line for line in runs)
    assert told.count("    AssertionError: at most one refund per order, but '1' has 2") == 5
    assert any(line.startswith("  … and ") and line.endswith(" more that did not pass") for line in told)
    assert "test_it.py::test_refund[repaired]" not in "\n".join(told)


def test_the_line_under_a_run_runs_just_that_run_again(session, shop):
    first = session(CODE, "--squall-seed=7", "--runs=30", "-W", "ignore")
    told = lines(first, "test_it.py::test_refund[buggy]")
    (run, _, command), *_ = zip(told[4:], told[5:], told[6:], strict=False)
    words = shlex.split(command)
    assert words[0] == "pytest"
    assert words[2:] == ["--squall-seed=7", "--runs=30"]
    again = session(None, *words[1:], "-W", "ignore")
    assert again.counts == {"failed": 1}
    assert "gate: 0 of 1 runs passed, required 95 %" in again.text
    assert again.line(run) == run
    assert again.line(command) == command


def test_ids_can_be_typed_where_pytest_was_started(session, shop, pytester, monkeypatch):
    folder = pytester.mkdir("deep")
    (folder / "test_deep.py").write_text("import pytest\n@pytest.mark.min_pass_rate(1)\ndef test_it(): assert 0\n")
    monkeypatch.chdir(folder)
    done = session(None, "test_deep.py", "--rootdir", str(pytester.path), "-o", f"cache_dir={folder}")
    assert '\n    pytest "test_deep.py::test_it[run0]" --squall-seed=0' in done.text


def test_runs_without_a_gate_are_in_the_table_without_a_verdict(session):
    code = """
        import pytest

        @pytest.mark.runs(3)
        def test_runs(request): assert request.node.name != "test_runs[run1]"

        @pytest.mark.runs(1)
        def test_single(): assert 0
    """
    done = session(code)
    assert done.counts == {"passed": 2, "failed": 2}
    assert done.line("test_it.py::test_runs ").endswith("–  –")
    assert '    pytest "test_it.py::test_runs[run1]" --squall-seed=0' in done.text
    assert "\ntest_it.py::test_single " not in done.text


def test_a_session_without_groups_has_no_table(session):
    assert "squall: 1 group" not in session("def test_it(): pass").text
    assert "group  " not in session("def test_it(trace): assert 0").text
